use super::{
    super::text::quoted,
    header::{Element, Encoding, Header, Property, Scalar},
};

/// The value of one property.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    List(Vec<f64>),
}

type Lines<'a> = std::slice::Split<'a, u8, fn(&u8) -> bool>;

/// Where records come from. Nothing is reserved for what a header promises: lists grow as their items are read.
pub(super) enum Source<'a> {
    Text {
        lines: std::iter::Enumerate<Lines<'a>>,
        tokens: Vec<&'a [u8]>,
        next: usize,
        first_line: usize,
        line: usize,
    },
    Binary {
        rest: &'a [u8],
        big: bool,
    },
}

fn is_newline(byte: &u8) -> bool {
    *byte == b'\n'
}

impl<'a> Source<'a> {
    pub(super) fn new(header: &Header, bytes: &'a [u8]) -> Self {
        let rest = bytes.get(header.body..).unwrap_or_default();
        match header.encoding {
            Encoding::Ascii => Self::Text {
                lines: rest.split(is_newline as fn(&u8) -> bool).enumerate(),
                tokens: Vec::new(),
                next: 0,
                first_line: header.first_line,
                line: header.first_line,
            },
            Encoding::Little => Self::Binary { rest, big: false },
            Encoding::Big => Self::Binary { rest, big: true },
        }
    }

    /// The line that was read last, for text.
    pub(super) fn line(&self) -> Option<usize> {
        match self {
            Self::Text { line, .. } => Some(*line),
            Self::Binary { .. } => None,
        }
    }

    pub(super) fn record(&mut self, element: &Element) -> Result<Vec<Value>, String> {
        let mut record = Vec::with_capacity(element.properties.len());
        for property in &element.properties {
            record.push(match *property {
                Property::Scalar { scalar, .. } => Value::Number(self.number(scalar)?),
                Property::List { count, item, .. } => {
                    let count = self.number(count)?;
                    if count < 0.0 || count.fract() != 0.0 {
                        return Err(format!("{count} is not the length of a list"));
                    }
                    let mut list = Vec::new();
                    for _ in 0..count as u64 {
                        list.push(self.number(item)?);
                    }
                    Value::List(list)
                }
            });
        }
        Ok(record)
    }

    fn number(&mut self, scalar: Scalar) -> Result<f64, String> {
        const CUT_OFF: &str = "the file ends here; it is cut off, or its header announces too much";
        match self {
            Self::Text {
                lines,
                tokens,
                next,
                first_line,
                line,
            } => loop {
                if let Some(token) = tokens.get(*next) {
                    *next += 1;
                    let token = String::from_utf8_lossy(token);
                    return token.parse().map_err(|_| format!("{} is not a number", quoted(&token)));
                }
                let (number, text) = lines.next().ok_or(CUT_OFF)?;
                *line = *first_line + number;
                *tokens = text
                    .split(|b| b.is_ascii_whitespace())
                    .filter(|t| !t.is_empty())
                    .collect();
                *next = 0;
            },
            Self::Binary { rest, big } => decode(rest, scalar, *big).ok_or_else(|| CUT_OFF.to_owned()),
        }
    }
}

/// Takes one number off the front.
fn decode(rest: &mut &[u8], scalar: Scalar, big: bool) -> Option<f64> {
    macro_rules! take {
        ($t:ty) => {{
            let (head, tail) = rest.split_first_chunk()?;
            *rest = tail;
            f64::from(if big {
                <$t>::from_be_bytes(*head)
            } else {
                <$t>::from_le_bytes(*head)
            })
        }};
    }
    Some(match scalar {
        Scalar::I8 => take!(i8),
        Scalar::U8 => take!(u8),
        Scalar::I16 => take!(i16),
        Scalar::U16 => take!(u16),
        Scalar::I32 => take!(i32),
        Scalar::U32 => take!(u32),
        Scalar::F32 => take!(f32),
        Scalar::F64 => take!(f64),
    })
}
