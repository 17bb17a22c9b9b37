"""Natural frequencies of a free block of 1 x 0.4 x 0.3 m, by an independent program.

    python3 -m venv venv && venv/bin/pip install scikit-fem scipy && venv/bin/python free_block.py

Triquadratic hexahedra of scikit-fem, eigenvalues by scipy's shift-and-invert Lanczos. Two meshes tell how far the numbers
have converged.
"""

import numpy as np
from scipy.sparse.linalg import eigsh
from skfem import Basis, ElementHex2, ElementVector, MeshHex, asm
from skfem.models.elasticity import lame_parameters, linear_elasticity
from skfem import BilinearForm
from skfem.helpers import dot

E, NU, RHO = 60e9, 0.27, 2700.0
SIZE = (1.0, 0.4, 0.3)


@BilinearForm
def mass(u, v, _):
    return RHO * dot(u, v)


def frequencies(nx, ny, nz, count=16):
    axes = [np.linspace(0.0, s, n + 1) for s, n in zip(SIZE, (nx, ny, nz))]
    mesh = MeshHex.init_tensor(*axes)
    basis = Basis(mesh, ElementVector(ElementHex2()), intorder=5)
    stiffness = asm(linear_elasticity(*lame_parameters(E, NU)), basis)
    inertia = asm(mass, basis)
    values = eigsh(stiffness, k=count, M=inertia, sigma=-1e6, which="LM", return_eigenvectors=False)
    return np.sqrt(np.maximum(np.sort(values), 0.0)) / (2 * np.pi)


if __name__ == "__main__":
    for counts in [(8, 4, 3), (12, 5, 4), (16, 7, 5)]:
        found = frequencies(*counts)
        print(counts, " ".join(f"{f:.4f}" for f in found))
