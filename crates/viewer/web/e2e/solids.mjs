/** A cube of 1 m on another one, as the files of other programs have it. The lower comes first. */

const corners = (z) => [[0, 0, z], [1, 0, z], [1, 1, z], [0, 1, z], [0, 0, z + 1], [1, 0, z + 1], [1, 1, z + 1], [0, 1, z + 1]];
const FACES = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
const CUBES = [["lower", 0], ["upper", 1]];
const triangles = FACES.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]);

const obj = CUBES.map(([name, z], k) => [`o ${name}`, ...corners(z).map((v) => `v ${v.join(" ")}`), ...FACES.map((f) => `f ${f.map((i) => i + 1 + 8 * k).join(" ")}`)].join("\n")).join("\n");

const stl = CUBES.map(([name, z]) => {
  const at = corners(z);
  const facets = triangles.map((t) => `facet normal 0 0 0\nouter loop\n${t.map((i) => `vertex ${at[i].join(" ")}`).join("\n")}\nendloop\nendfacet`);
  return `solid ${name}\n${facets.join("\n")}\nendsolid ${name}`;
}).join("\n");

function binaryStl() {
  const bytes = Buffer.alloc(84 + 50 * 2 * triangles.length);
  bytes.writeUInt32LE(2 * triangles.length, 80);
  let at = 84;
  for (const [, z] of CUBES)
    for (const triangle of triangles) {
      triangle.flatMap((i) => corners(z)[i]).forEach((value, k) => bytes.writeFloatLE(value, at + 12 + 4 * k));
      at += 50;
    }
  return bytes;
}

const ply = [
  "ply", "format ascii 1.0", "element vertex 16", "property float x", "property float y", "property float z", "element face 12",
  "property list uchar int vertex_indices", "end_header",
  ...CUBES.flatMap(([, z]) => corners(z).map((v) => v.join(" "))),
  ...CUBES.flatMap((_, k) => FACES.map((f) => `4 ${f.map((i) => i + 8 * k).join(" ")}`)),
].join("\n");

const mesh = (z) => ({
  dtype: "compas.datastructures/Mesh",
  data: {
    vertex: Object.fromEntries(corners(z).map(([x, y, up], k) => [k, { x, y, z: up }])),
    face: Object.fromEntries(FACES.map((f, k) => [k, f])),
  },
});
const compas = JSON.stringify({
  dtype: "compas_assembly.datastructures/Assembly",
  data: { graph: { node: { 0: { block: mesh(0), is_support: true }, 1: { block: mesh(1) } }, edge: {} } },
});

/** Files of the Chrono masonry simulator have y up. */
const brick = (id, fixed, y) => {
  const ends = [0, 1].flatMap((x) => [y, y + 1].flatMap((up) => [0, 1].map((z) => [x, up, z].join(","))));
  return `${id},${fixed},1,1,1800,0,0,0,0,0,0,${ends.join(",")}`;
};
const bricks = `${brick(1, 1, 0)}\n${brick(2, 0, 1)}\n`;

/** By name; `carried` says that the file tells which block is fixed. */
export const SOLIDS = [
  { name: "cubes.obj", data: obj, carried: false },
  { name: "cubes.stl", data: stl, carried: false },
  { name: "binary.stl", data: binaryStl(), carried: false },
  { name: "cubes.ply", data: ply, carried: false },
  { name: "cubes.json", data: compas, carried: true },
  { name: "cubes_brickfile.txt", data: bricks, carried: true },
];
