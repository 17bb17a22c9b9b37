"""Natural frequencies of free blocks by hexahedra of 27 nodes. Writes modes.json. Needs numpy, scipy, scikit-fem, pypardiso."""
import os
os.environ['OMP_NUM_THREADS'] = '1'
import numpy as np, json, time
from skfem import *
from skfem.models.elasticity import linear_elasticity, lame_parameters
from skfem.helpers import dot
import pypardiso, scipy.sparse as sp
from scipy.sparse.linalg import eigsh, LinearOperator
E, NU, RHO = (60000000000.0, 0.27, 2700.0)

def freqs(mesh, k=16):
    ib = Basis(mesh, ElementVector(ElementHex2()), intorder=4)
    K = linear_elasticity(*lame_parameters(E, NU)).assemble(ib)
    M = BilinearForm(lambda u, v, w: RHO * dot(u, v)).assemble(ib)
    sig = -(2 * np.pi * 300.0) ** 2
    A = (K - sig * M).tocsr()
    ps = pypardiso.PyPardisoSolver()
    ps.factorize(A)
    op = LinearOperator(A.shape, matvec=lambda b: ps.solve(A, np.asarray(b, float)), dtype=float)
    w = eigsh(K, k, M, sigma=sig, OPinv=op, return_eigenvectors=False)
    f = np.sqrt(np.maximum(np.sort(w), 0)) / 2 / np.pi
    return (f[:6].tolist(), f[6:].tolist(), K.shape[0])
out = {}

def T(nx, ny, nz):
    return MeshHex.init_tensor(np.linspace(0, 1, nx + 1), np.linspace(0, 1, ny + 1), np.linspace(0, 1, nz + 1))
for n in [(5, 2, 2), (10, 4, 3), (14, 6, 4)]:
    m = T(*n)
    p = m.p * np.array([[1.0], [0.4], [0.3]])
    r, f, nd = freqs(MeshHex(p, m.t))
    out['block_1x0.4x0.3/%dx%dx%d' % n] = dict(rigid=r, elastic_hz=f, ndof=nd)
    print(n, nd, np.round(f, 2), flush=True)
    json.dump(out, open('modes.json', 'w'), indent=1)
for n in [(3, 2, 4), (4, 4, 6), (7, 5, 9)]:
    m = T(*n)
    z = 0.5 * m.p[2]
    w = 0.3 + 0.1 * m.p[2]
    p = np.vstack([(m.p[0] - 0.5) * w, 0.3 * m.p[1], z])
    r, f, nd = freqs(MeshHex(p, m.t))
    out['trapezoid/%dx%dx%d' % n] = dict(rigid=r, elastic_hz=f, ndof=nd)
    print(n, nd, np.round(f, 2), flush=True)
    json.dump(out, open('modes.json', 'w'), indent=1)
