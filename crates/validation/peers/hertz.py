"""A prism of 64 facets (circumradius 1 m, one facet below) pressed on a block of 2 m x 1 m, in two dimensions.

Quadratic triangles, contact of matching nodes by penalty, no friction; the load is a body force of the prism. Thickness 0.3 m.
The mean pressure of a facet is its force over its horizontal width. Writes hertz.json. Needs numpy, scipy, scikit-fem, pypardiso.
"""
import os
os.environ['OMP_NUM_THREADS'] = '1'
import numpy as np, json, sys
from scipy.spatial import Delaunay
import scipy.sparse as sp, pypardiso
from skfem import *
from skfem.models.elasticity import linear_elasticity
E, NU, Lz, R = (60000000000.0, 0.27, 0.3, 1.0)
Es = E / (1 - NU ** 2) / 2

def lame(ps):
    l = E * NU / ((1 + NU) * (1 - 2 * NU))
    m = E / 2 / (1 + NU)
    return (l, m) if ps == 'strain' else (2 * l * m / (l + 2 * m), m)
th = -np.pi / 2 + np.pi / 64 + 2 * np.pi / 64 * np.arange(64)
V = np.c_[np.cos(th), np.sin(th)]
ap = np.cos(np.pi / 64)
V[:, 1] += ap
wf = 2 * np.sin(np.pi / 64)

def ringmesh(m, circle=False):
    P = []
    C = np.array([0, ap])
    for k in range(64):
        a, b = (V[k - 1], V[k])
        kk = k if k <= 32 else k - 64
        d = m if abs(kk) <= 3 else max(2, m // 2) if abs(kk) <= 5 else 2
        for i in range(d):
            P.append(a + (b - a) * i / d)
    return np.array(P)

def graded(P, inside, hmin, fine_c, grow, hmax):
    xmin, ymin = P.min(0)
    xmax, ymax = P.max(0)
    pts = []
    st = [((xmin + xmax) / 2, (ymin + ymax) / 2, max(xmax - xmin, ymax - ymin) / 2 * 1.013)]
    while st:
        x, y, s = st.pop()
        dx = max(abs(x) - s - fine_c, 0)
        dy = max(abs(y) - s, 0)
        d = np.hypot(dx, dy)
        if 2 * s > min(hmax, max(hmin, hmin + grow * d)):
            for i in (-0.5, 0.5):
                for j in (-0.5, 0.5):
                    st.append((x + i * s, y + j * s, s / 2))
        else:
            pts.append((x + 0.07 * s, y + 0.03 * s, 2 * s))
    pts = np.array(pts)
    return pts[inside(pts[:, 0], pts[:, 1], pts[:, 2])]

def tri(P, Q):
    X = np.vstack([P, Q[:, :2]])
    T = Delaunay(X).simplices
    a = X[T]
    ar = 0.5 * abs((a[:, 1, 0] - a[:, 0, 0]) * (a[:, 2, 1] - a[:, 0, 1]) - (a[:, 1, 1] - a[:, 0, 1]) * (a[:, 2, 0] - a[:, 0, 0]))
    T = T[ar > 1e-10]
    return MeshTri(X.T, T.T)

def build(m):
    P = ringmesh(m)
    h0 = wf / m

    def ins(x, y, s):
        r = np.min([ap * 1.0 - (x * np.cos(2 * np.pi * k / 64 - np.pi / 2) + (y - ap) * np.sin(2 * np.pi * k / 64 - np.pi / 2)) for k in range(64)], 0)
        return r > 0.55 * np.minimum(s, 0.1)
    m1 = tri(P, graded(P, ins, h0, 0.26, 0.25, 0.12))
    xb = np.sort(P[(abs(P[:, 0]) < np.sin(7 * np.pi / 64) + 1e-09) & (P[:, 1] < 0.5)][:, 0])
    xr = xb.max()
    tail = []
    x = xr
    h = h0
    while x + 1.5 * h < 1:
        h = min(h * 1.25, 0.1)
        x += h
        tail.append(x)
    tail = np.array(tail)
    tail = xr + (tail - xr) * (1 - xr) / (tail[-1] - xr)
    top = np.r_[-tail[::-1], xb, tail]
    Pb = np.vstack([np.c_[top, 0 * top], np.c_[np.linspace(-1, 1, 21), -np.ones(21)], np.c_[-np.ones(9), -np.linspace(0.1, 0.9, 9)], np.c_[np.ones(9), -np.linspace(0.1, 0.9, 9)]])
    ins2 = lambda x, y, s: (-y > 0.55 * s) & (y > -1 + 0.5 * s) & (abs(x) < 1 - 0.5 * s)
    m2 = tri(Pb, graded(Pb, ins2, h0, 0.26, 0.25, 0.12))
    return (m1, m2, xb)

def solve(m, ps, loads, base='roller'):
    m1, m2, xb = build(m)
    l, mu = lame(ps)
    out = {}
    B1 = Basis(m1, ElementVector(ElementTriP2()))
    B2 = Basis(m2, ElementVector(ElementTriP2()))
    K1 = linear_elasticity(l, mu).assemble(B1) * Lz
    K2 = linear_elasticity(l, mu).assemble(B2) * Lz
    n1, n2 = (K1.shape[0], K2.shape[0])
    K = sp.block_diag([K1, K2]).tocsr()
    A1 = m1.p[:, m1.t]
    area = 0.5 * abs((A1[0, 1] - A1[0, 0]) * (A1[1, 2] - A1[1, 0]) - (A1[1, 1] - A1[1, 0]) * (A1[0, 2] - A1[0, 0])).sum()
    f1 = LinearForm(lambda v, w: -v[1]).assemble(B1) / area
    f = np.r_[f1, np.zeros(n2)]
    X1, X2 = (B1.doflocs, B2.doflocs)

    def surf(X, xs, yf):
        d = {}
        for i in range(1, X.shape[1], 2):
            d[round(X[0, i], 8), round(X[1, i], 8)] = i
        return [d[round(a, 8), round(b, 8)] for a, b in zip(xs, yf)]
    xs = np.empty(2 * len(xb) - 1)
    xs[::2] = xb
    xs[1::2] = (xb[1:] + xb[:-1]) / 2
    bx = np.r_[-np.sin(np.pi / 64 * np.arange(7, 0, -2)), np.sin(np.pi / 64 * np.arange(1, 8, 2))]
    by = ap - np.cos(np.pi / 64 * np.array([7, 5, 3, 1, 1, 3, 5, 7]))
    yf = np.interp(xs, bx, by)
    i1 = np.array(surf(X1, xs, yf))
    i2 = np.array(surf(X2, xs, 0 * xs)) + n1
    h = np.diff(xb)
    w = np.zeros(len(xs))
    w[0:-1:2] += h / 6
    w[2::2] += h / 6
    w[1::2] += 4 * h / 6
    M = len(xs)
    Bn = sp.coo_matrix((np.r_[np.ones(M), -np.ones(M)], (np.r_[np.arange(M)] * 1 if 0 else np.r_[np.arange(M), np.arange(M)], np.r_[i1, i2])), shape=(M, n1 + n2)).tocsr()
    kn = 2000 * E / 1.0 * w * Lz
    bot = np.nonzero(abs(X2[1] + 1) < 1e-09)[0]
    ydof = bot[bot % 2 == 1] + n1
    ctr = [i + n1 - 1 for i in bot if i % 2 == 1 and abs(X2[0, i]) < 1e-09]
    fix = list(ydof) + ctr if base == 'roller' else list(bot + n1)
    c1 = [i - 1 for i in np.argsort(abs(X1[0]) + abs(X1[1] - ap)) if i % 2 == 1][:1]
    c2 = [i - 1 for i in np.argsort(abs(X1[0]) + abs(X1[1] - 2 * ap)) if i % 2 == 1][:1]
    fix = np.array(fix + c1 + c2)
    free = np.setdiff1d(np.arange(n1 + n2), fix)
    u = np.zeros(n1 + n2)
    for F in loads:
        act = np.zeros(M, bool)
        act[abs(xs) < wf / 2 + 1e-09] = True
        for it in range(60):
            KT = (K + Bn.T @ sp.diags(kn * act) @ Bn)[free][:, free]
            rhs = (F * f - Bn.T @ (kn * act * yf))[free]
            u[:] = 0
            u[free] = pypardiso.spsolve(KT.tocsr(), rhs)
            g = Bn @ u + yf
            new = g < 0
            if (new == act).all():
                break
            act = new
        p = np.where(act, -kn * g, 0)
        pr = p / (w * Lz)
        fac = {}
        for k in range(-3, 4):
            a, b = (np.sin((2 * k - 1) * np.pi / 64), np.sin((2 * k + 1) * np.pi / 64))
            e = [j for j in range(len(h)) if xb[j] >= a - 1e-09 and xb[j + 1] <= b + 1e-09]
            Fk = sum((Lz * h[j] * (pr[2 * j] + 4 * pr[2 * j + 1] + pr[2 * j + 2]) / 6 for j in e))
            fac[str(k)] = dict(x=[a, b], force=float(Fk), mean_pressure_over_horizontal_width=float(Fk / ((b - a) * Lz)))
        cl = xs[act]
        Eq = Es if ps == 'strain' else E / 2
        aH = np.sqrt(4 * F * R / (np.pi * Lz * Eq))
        cen = np.argmin(abs(X1[0, 1:n1:2]) + abs(X1[1, 1:n1:2] - ap)) * 2 + 1
        out['F=%.4g' % F] = dict(hertz_a=aH, hertz_p0=2 * F / (np.pi * aH * Lz), total=float(p.sum()), active_iterations=it, contact_x=[float(cl.min()), float(cl.max())], pressure_at_x0=float(np.interp(0, xs, pr)), facets=fac, uy_cylinder_centre=float(u[cen]), uy_block_top_centre=float(np.interp(0, xs, u[i2])), x=[float(v) for v in xs[xs >= -1e-09]], p=[float(v) for v in pr[xs >= -1e-09]])
        o = out['F=%.4g' % F]
        print(m, ps, base, n1 + n2, 'F=%.4g it=%d a_H=%.4f p0=%.4g | x=[%.4f %.4f] p(0)=%.4g facets:' % (F, it, aH, o['hertz_p0'], *o['contact_x'], o['pressure_at_x0']), ['%.4g' % fac[str(k)]['mean_pressure_over_horizontal_width'] for k in range(0, 4)], 'uy %.5e %.5e' % (o['uy_cylinder_centre'], o['uy_block_top_centre']), flush=True)
    return out
if __name__ == '__main__':
    Fs = [np.pi / 4 * a * a * Lz * Es / R for a in (0.03, 0.06, 0.1, 0.15)]
    out = {'closed_form_plane_strain': [dict(a=a, F=F, p0=2 * F / np.pi / a / Lz) for a, F in zip((0.03, 0.06, 0.1, 0.15), Fs)], 'Estar': Es}
    for m, ps, base in ((4, 'strain', 'roller'), (8, 'strain', 'roller'), (16, 'strain', 'roller'), (32, 'strain', 'roller'), (16, 'stress', 'roller'), (16, 'strain', 'bonded')):
        out[f'{ps}/{base}/m{m}'] = solve(m, ps, Fs, base)
        json.dump(out, open('hertz.json', 'w'), indent=1)
