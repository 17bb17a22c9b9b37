//! VTK XML files: polygons (`.vtp`), polyhedra (`.vtu`) and time series of them (`.pvd`).
//!
//! Arrays are written as base 64 within the XML (`format="binary"`), which keeps every digit and needs no second
//! file. Both kinds of mesh carry, per cell, `block` (position in the model), `fixed` (0 or 1), `group` (number of
//! the group, -1 for none) and `name`; the names of the groups stand in the field array `groups`.

use drystone_model::Model;
use glam::DVec3;

use crate::{
    OutputError,
    palette::Groups,
    solids::{Solid, solids},
    xml::{base64, escape},
};

/// Cell type of a polyhedron given by its faces.
const VTK_POLYHEDRON: u8 = 42;

/// The faces of all blocks as polygons: a PolyData file (`.vtp`). Blocks share no points.
pub fn polydata(model: &Model) -> Result<Vec<u8>, OutputError> {
    let solids = solids(model)?;
    let groups = Groups::of(model);
    let mut connectivity: Vec<i64> = Vec::new();
    let mut offsets: Vec<i64> = Vec::new();
    let mut owners: Vec<&Solid<'_>> = Vec::new();
    let mut first = 0;
    for solid in &solids {
        for face in &solid.polyhedron.faces {
            connectivity.extend(face.iter().map(|&v| first + i64::from(v)));
            offsets.push(connectivity.len() as i64);
            owners.push(solid);
        }
        first += solid.polyhedron.vertices.len() as i64;
    }
    let piece = format!(
        "<Piece NumberOfPoints=\"{first}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"{}\">\n{}{}<Polys>\n{}{}</Polys>\n</Piece>\n",
        offsets.len(),
        points(&solids),
        cell_data(&owners, &groups, ""),
        array("connectivity", &connectivity),
        array("offsets", &offsets),
    );
    Ok(document("PolyData", &field_data(&groups), &piece))
}

/// Each block as one polyhedral cell: an UnstructuredGrid file (`.vtu`), with `density` (kg/m³), `mass` (kg) and
/// `volume` (m³) beside the other cell data.
pub fn unstructured_grid(model: &Model) -> Result<Vec<u8>, OutputError> {
    let solids = solids(model)?;
    let volume: Vec<f64> = solids.iter().map(|s| s.polyhedron.volume()).collect();
    let dense = |(s, &v): (&Solid<'_>, &f64)| model.density_of(s.block, v);
    let density: Vec<f64> = solids.iter().zip(&volume).map(dense).collect();
    let carried = |s: &Solid<'_>| s.block.added_mass.iter().map(|a| a.mass).sum::<f64>();
    let own = density.iter().zip(&volume).map(|(d, v)| d * v);
    let mass: Vec<f64> = own.zip(&solids).map(|(own, s)| own + carried(s)).collect();
    let more = array("density", &density) + &array("mass", &mass) + &array("volume", &volume);
    Ok(grid(&solids, &Groups::of(model), &more))
}

/// Solids as polyhedral cells, with arrays of more cell data.
pub(crate) fn grid(solids: &[Solid<'_>], groups: &Groups<'_>, more: &str) -> Vec<u8> {
    let mut connectivity: Vec<i64> = Vec::new();
    let mut offsets: Vec<i64> = Vec::new();
    // Faces of one cell: their number, then for each the number of its corners and the corners.
    let mut faces: Vec<i64> = Vec::new();
    let mut face_offsets: Vec<i64> = Vec::new();
    let mut first = 0;
    for solid in solids {
        let corners = solid.polyhedron.vertices.len() as i64;
        connectivity.extend(first..first + corners);
        offsets.push(connectivity.len() as i64);
        faces.push(solid.polyhedron.faces.len() as i64);
        for face in &solid.polyhedron.faces {
            faces.push(face.len() as i64);
            faces.extend(face.iter().map(|&v| first + i64::from(v)));
        }
        face_offsets.push(faces.len() as i64);
        first += corners;
    }
    let owners: Vec<&Solid<'_>> = solids.iter().collect();
    let piece = format!(
        "<Piece NumberOfPoints=\"{first}\" NumberOfCells=\"{}\">\n{}{}<Cells>\n{}{}{}{}{}</Cells>\n</Piece>\n",
        offsets.len(),
        points(solids),
        cell_data(&owners, groups, more),
        array("connectivity", &connectivity),
        array("offsets", &offsets),
        array("types", &vec![VTK_POLYHEDRON; solids.len()]),
        array("faces", &faces),
        array("faceoffsets", &face_offsets),
    );
    document("UnstructuredGrid", &field_data(groups), &piece)
}

/// Cells of any kind by their points, with arrays of point data and of cell data: an UnstructuredGrid file (`.vtu`).
pub(crate) struct Cells<'a> {
    pub(crate) points: &'a [DVec3],
    /// Points of each cell.
    pub(crate) cells: &'a [Vec<i64>],
    /// VTK's number for the kind of each cell.
    pub(crate) types: &'a [u8],
    pub(crate) point_data: &'a str,
    pub(crate) cell_data: &'a str,
}

impl Cells<'_> {
    pub(crate) fn grid(&self) -> Vec<u8> {
        let coordinates: Vec<f64> = self.points.iter().flat_map(|p| p.to_array()).collect();
        let connectivity: Vec<i64> = self.cells.iter().flatten().copied().collect();
        let ends = self.cells.iter().scan(0, |end, cell| {
            *end += cell.len() as i64;
            Some(*end)
        });
        let piece = format!(
            "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>\n{}</Points>\n<PointData>\n{}</PointData>\n\
             <CellData>\n{}</CellData>\n<Cells>\n{}{}{}</Cells>\n</Piece>\n",
            self.points.len(),
            self.cells.len(),
            vectors("Points", &coordinates),
            self.point_data,
            self.cell_data,
            array("connectivity", &connectivity),
            array("offsets", &ends.collect::<Vec<i64>>()),
            array("types", self.types),
        );
        document("UnstructuredGrid", "", &piece)
    }
}

/// Points in space, with arrays of point data: a PolyData file (`.vtp`).
pub(crate) fn cloud(places: &[DVec3], data: &str) -> Vec<u8> {
    let count = places.len();
    let coordinates: Vec<f64> = places.iter().flat_map(|p| p.to_array()).collect();
    let connectivity: Vec<i64> = (0..count as i64).collect();
    let offsets: Vec<i64> = (1..=count as i64).collect();
    let piece = format!(
        "<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"0\">\n<Points>\n{}</Points>\n<PointData>\n{data}</PointData>\n<Verts>\n{}{}</Verts>\n</Piece>\n",
        vectors("Points", &coordinates),
        array("connectivity", &connectivity),
        array("offsets", &offsets),
    );
    document("PolyData", "", &piece)
}

/// Polygons in space with numbers on each of them, as a PolyData file (`.vtp`): interfaces, sections and the like.
/// Every array of `cells` has one number a polygon.
pub fn polygons(polygons: &[&[DVec3]], cells: &[(&str, Vec<f64>)]) -> Vec<u8> {
    let data: String = cells.iter().map(|(name, values)| array(name, values)).collect();
    polygon_mesh(polygons, &data, "")
}

/// Polygons in space that share no points, with arrays of cell data and of point data.
pub(crate) fn polygon_mesh(polygons: &[&[DVec3]], cells: &str, corners: &str) -> Vec<u8> {
    let coordinates: Vec<f64> = polygons
        .iter()
        .flat_map(|p| p.iter().flat_map(|v| v.to_array()))
        .collect();
    let count = coordinates.len() / 3;
    let connectivity: Vec<i64> = (0..count as i64).collect();
    let offsets: Vec<i64> = polygons
        .iter()
        .scan(0, |end, p| {
            *end += p.len() as i64;
            Some(*end)
        })
        .collect();
    let point_data = if corners.is_empty() {
        String::new()
    } else {
        format!("<PointData>\n{corners}</PointData>\n")
    };
    let piece = format!(
        "<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"{}\">\n<Points>\n{}</Points>\n{point_data}<CellData>\n{cells}</CellData>\n<Polys>\n{}{}</Polys>\n\
         </Piece>\n",
        polygons.len(),
        vectors("Points", &coordinates),
        array("connectivity", &connectivity),
        array("offsets", &offsets),
    );
    document("PolyData", "", &piece)
}

/// A time series: pairs of a time (s) and the file that holds it, relative to the collection (`.pvd`).
pub fn collection<'a>(frames: impl IntoIterator<Item = (f64, &'a str)>) -> String {
    let frames: String = frames
        .into_iter()
        .map(|(time, file)| {
            let file = escape(file);
            format!("<DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{file}\"/>\n")
        })
        .collect();
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n\
         <Collection>\n{frames}</Collection>\n</VTKFile>\n"
    )
}

fn document(kind: &str, field_data: &str, piece: &str) -> Vec<u8> {
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<{kind}>\n{field_data}{piece}</{kind}>\n</VTKFile>\n"
    )
    .into_bytes()
}

fn points(solids: &[Solid<'_>]) -> String {
    let coordinates: Vec<f64> = solids
        .iter()
        .flat_map(|s| s.polyhedron.vertices.iter().flat_map(|p| p.to_array()))
        .collect();
    format!("<Points>\n{}</Points>\n", vectors("Points", &coordinates))
}

fn cell_data(owners: &[&Solid<'_>], groups: &Groups<'_>, more: &str) -> String {
    let block: Vec<i32> = owners.iter().map(|s| s.index as i32).collect();
    let fixed: Vec<u8> = owners.iter().map(|s| u8::from(s.block.fixed)).collect();
    let group: Vec<i32> = owners
        .iter()
        .map(|s| groups.id(s.block).map_or(-1, |id| id as i32))
        .collect();
    format!(
        "<CellData Scalars=\"block\">\n{}{}{}{}{more}</CellData>\n",
        array("block", &block),
        array("fixed", &fixed),
        array("group", &group),
        strings("name", "", owners.iter().map(|s| s.block.name.as_str())),
    )
}

fn field_data(groups: &Groups<'_>) -> String {
    if groups.names.is_empty() {
        return String::new();
    }
    let count = format!(" NumberOfTuples=\"{}\"", groups.names.len());
    let names = strings("groups", &count, groups.names.iter().copied());
    format!("<FieldData>\n{names}</FieldData>\n")
}

/// A number that VTK arrays can hold.
pub(crate) trait Scalar: Copy {
    const TYPE: &'static str;
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! scalar {
    ($($rust:ty => $vtk:literal),*) => {$(
        impl Scalar for $rust {
            const TYPE: &'static str = $vtk;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}
scalar!(u8 => "UInt8", i32 => "Int32", i64 => "Int64", f64 => "Float64");

pub(crate) fn array<T: Scalar>(name: &str, values: &[T]) -> String {
    data_array(name, "", values)
}

pub(crate) fn vectors(name: &str, values: &[f64]) -> String {
    data_array(name, " NumberOfComponents=\"3\"", values)
}

/// Symmetric tensors, six components each: xx, yy, zz, xy, yz, zx, which is the order of VTK.
pub(crate) fn tensors(name: &str, values: &[[f64; 6]]) -> String {
    named_components(name, ["XX", "YY", "ZZ", "XY", "YZ", "XZ"], values)
}

/// Some numbers for each point or cell, each with a name.
pub(crate) fn named_components<const N: usize>(name: &str, components: [&str; N], values: &[[f64; N]]) -> String {
    let names = components.iter().enumerate();
    let named: String = names.map(|(k, c)| format!(" ComponentName{k}=\"{c}\"")).collect();
    data_array(
        name,
        &format!(" NumberOfComponents=\"{N}\"{named}"),
        values.as_flattened(),
    )
}

fn data_array<T: Scalar>(name: &str, attributes: &str, values: &[T]) -> String {
    let mut bytes = Vec::with_capacity(8 + size_of_val(values));
    bytes.extend((size_of_val(values) as u64).to_le_bytes());
    for value in values {
        value.put(&mut bytes);
    }
    format!(
        "<DataArray type=\"{}\" Name=\"{name}\"{attributes} format=\"binary\">{}</DataArray>\n",
        T::TYPE,
        base64(&bytes)
    )
}

/// Text, as VTK keeps it: the numbers of its bytes, each string ended by a zero.
pub(crate) fn strings<'a>(name: &str, attributes: &str, values: impl Iterator<Item = &'a str>) -> String {
    let mut codes = String::new();
    for value in values {
        for byte in value.bytes().chain([0]) {
            codes.push_str(&byte.to_string());
            codes.push(' ');
        }
    }
    format!("<DataArray type=\"String\" Name=\"{name}\"{attributes} format=\"ascii\">{codes}</DataArray>\n")
}
