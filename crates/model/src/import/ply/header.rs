use super::super::{
    error::{ImportError, format_error, single},
    text::quoted,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Little,
    Big,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Property {
    Scalar { name: String, scalar: Scalar },
    List { name: String, count: Scalar, item: Scalar },
}

impl Property {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Scalar { name, .. } | Self::List { name, .. } => name,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Where the body begins, in bytes, and the number of its first line.
    pub(super) body: usize,
    pub(super) first_line: usize,
}

impl Header {
    pub(super) fn read(bytes: &[u8], file: &str) -> Result<Self, ImportError> {
        let mut header = Self {
            encoding: Encoding::Ascii,
            elements: Vec::new(),
            body: 0,
            first_line: 1,
        };
        let mut encoded = false;
        for (number, line) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
            header.body += line.len();
            let line = String::from_utf8_lossy(line);
            let line = line.trim();
            if number == 0 && line != "ply" {
                return Err(format_error(file, "this is no PLY file: its first line is not `ply`"));
            }
            if line == "end_header" {
                header.first_line = number + 2;
                return if encoded {
                    Ok(header)
                } else {
                    Err(format_error(file, "its header has no `format` line"))
                };
            }
            let understood = match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["format", encoding, _] => {
                    encoded = true;
                    header.format(encoding)
                }
                ["element", name, count] => header.element(name, count),
                ["property", "list", count, item, name] => header.list(name, count, item),
                ["property", scalar, name] => header.scalar(name, scalar),
                ["ply" | "comment" | "obj_info", ..] | [] => Some(()),
                _ => None,
            };
            if understood.is_none() {
                let what = format!("{} is not understood in the header of a PLY file", quoted(line));
                return Err(single(file, Some(number + 1), what));
            }
        }
        Err(format_error(file, "its header has no end; expected `end_header`"))
    }

    fn format(&mut self, encoding: &str) -> Option<()> {
        self.encoding = match encoding {
            "ascii" => Encoding::Ascii,
            "binary_little_endian" => Encoding::Little,
            "binary_big_endian" => Encoding::Big,
            _ => return None,
        };
        Some(())
    }

    fn element(&mut self, name: &str, count: &str) -> Option<()> {
        self.elements.push(Element {
            name: name.to_owned(),
            count: count.parse().ok()?,
            properties: Vec::new(),
        });
        Some(())
    }

    fn list(&mut self, name: &str, count: &str, item: &str) -> Option<()> {
        let count = Scalar::named(count).filter(|s| !matches!(s, Scalar::F32 | Scalar::F64))?;
        let item = Scalar::named(item)?;
        let name = name.to_owned();
        self.elements
            .last_mut()?
            .properties
            .push(Property::List { name, count, item });
        Some(())
    }

    fn scalar(&mut self, name: &str, scalar: &str) -> Option<()> {
        let scalar = Scalar::named(scalar)?;
        let name = name.to_owned();
        self.elements
            .last_mut()?
            .properties
            .push(Property::Scalar { name, scalar });
        Some(())
    }
}
