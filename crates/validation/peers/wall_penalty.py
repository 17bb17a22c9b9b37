"""A dry wall of elastic blocks under its weight, a load on its top, or a settlement of the left half of the ground.

Elements: `q2`, hexahedra of 27 nodes with contact weights by Simpson; `eas`, hexahedra of 8 nodes with 9 incompatible modes;
`q1`, plain ones. Contact: matching nodes, by penalty, with Coulomb friction of total slips. Meshes match, so that nodes meet nodes.

usage: wall_penalty.py OUT.json ELEMENT:N:FRICTION:CASE ...
  N         elements along each edge of a block
  FRICTION  coulomb, stick or mu0
  CASE      gravity, patch (100 kN on 0.5 m in the middle of the top) or settle_M (metres)

Needs numpy, scipy, pypardiso. elastic_wall.json was made from what it writes.
"""
import os
os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('MKL_NUM_THREADS', '1')
import numpy as np, scipy.sparse as sp, json, sys, time
import pypardiso
E, NU, RHO, G = (60000000000.0, 0.27, 2700.0, 9.81)
LX, DY, HZ = (0.5, 0.3, 0.25)
lam = E * NU / ((1 + NU) * (1 - 2 * NU))
mu_ = E / (2 * (1 + NU))
D = np.zeros((6, 6))
D[:3, :3] = lam
D[[0, 1, 2], [0, 1, 2]] += 2 * mu_
D[[3, 4, 5], [3, 4, 5]] = mu_

def lag(p, x):
    if p == 1:
        return (np.array([(1 - x) / 2, (1 + x) / 2]), np.array([-0.5, 0.5]))
    return (np.array([x * (x - 1) / 2, 1 - x * x, x * (x + 1) / 2]), np.array([x - 0.5, -2 * x, x + 0.5]))

def Bgrad(dN):
    n = len(dN)
    B = np.zeros((6, 3 * n))
    x, y, z = dN.T
    B[0, 0::3] = x
    B[1, 1::3] = y
    B[2, 2::3] = z
    B[3, 0::3] = y
    B[3, 1::3] = x
    B[4, 1::3] = z
    B[4, 2::3] = y
    B[5, 0::3] = z
    B[5, 2::3] = x
    return B

def Bmat(kind, h, xi):
    p = 2 if kind == 'q2' else 1
    N = [lag(p, v) for v in xi]
    f = lambda a, b, c: np.einsum('i,j,k->ijk', a, b, c).ravel()
    dN = np.stack([f(N[0][1], N[1][0], N[2][0]) * 2 / h[0], f(N[0][0], N[1][1], N[2][0]) * 2 / h[1], f(N[0][0], N[1][0], N[2][1]) * 2 / h[2]], 1)
    B = Bgrad(dN)
    if kind != 'eas':
        return (B, None)
    dM = np.diag([-2 * xi[0] * 2 / h[0], -2 * xi[1] * 2 / h[1], -2 * xi[2] * 2 / h[2]])
    return (B, Bgrad(dM))

def element(kind, h):
    g, w = np.polynomial.legendre.leggauss(3)
    J = np.prod(h) / 8
    K = 0
    Ka = 0
    Kaa = 0
    for a in range(3):
        for b in range(3):
            for c in range(3):
                B, A = Bmat(kind, h, (g[a], g[b], g[c]))
                W = w[a] * w[b] * w[c] * J
                K = K + W * B.T @ D @ B
                if A is not None:
                    Ka = Ka + W * A.T @ D @ B
                    Kaa = Kaa + W * A.T @ D @ A
    Al = None
    if kind == 'eas':
        Al = -np.linalg.solve(Kaa, Ka)
        K = K + Ka.T @ Al
    return (K, Al)

class Wall:

    def __init__(s, kind, n, courses=3, length=1.0, ny=None, nz=None):
        s.kind = kind
        s.n = n
        ny = ny or n
        nz = nz or n
        p = 2 if kind == 'q2' else 1
        s.p = p
        s.ny, s.nz = (ny, nz)
        s.h = np.array([LX / n, DY / ny, HZ / nz])
        s.Ke, s.Al = element(kind, s.h)
        s.blocks = []
        for c in range(courses):
            xs = np.arange(0, length + 1e-09, LX) if c % 2 == 0 else np.r_[0, np.arange(LX / 2, length, LX), length]
            for i in range(len(xs) - 1):
                s.blocks.append((c, xs[i], xs[i + 1]))
        w1 = np.array([1, 1]) / 2 if p == 1 else np.array([1, 4, 1]) / 6

        def lin(m, h):
            w = np.zeros(p * m + 1)
            for e in range(m):
                w[p * e:p * e + p + 1] += w1 * h
            return w
        s.lin = lin
        off = 0
        s.off = []
        s.nx = []
        X = []
        conn = []
        F = []
        for c, a, b in s.blocks:
            nx = int(round((b - a) / s.h[0]))
            s.nx.append(nx)
            s.off.append(off)
            mx, my, mz = (p * nx + 1, p * ny + 1, p * nz + 1)
            gx = np.linspace(a, b, mx)
            gy = np.linspace(0, DY, my)
            gz = c * HZ + np.linspace(0, HZ, mz)
            X.append(np.stack(np.meshgrid(gx, gy, gz, indexing='ij'), -1).reshape(-1, 3))
            id = off + np.arange(mx * my * mz).reshape(mx, my, mz)
            for i in range(nx):
                for j in range(ny):
                    for k in range(nz):
                        conn.append(id[p * i:p * i + p + 1, p * j:p * j + p + 1, p * k:p * k + p + 1].ravel())
            F.append(np.einsum('i,j,k->ijk', lin(nx, s.h[0]), lin(ny, s.h[1]), lin(nz, s.h[2])).ravel())
            off += mx * my * mz
        s.X = np.vstack(X)
        s.conn = np.array(conn)
        s.N = off
        s.vol = np.concatenate(F)
        s.eblock = np.concatenate([[b] * (nx * ny * nz) for b, nx in enumerate(s.nx)])
        ed = (3 * s.conn[:, :, None] + np.arange(3)).reshape(len(s.conn), -1)
        s.ed = ed
        m = ed.shape[1]
        s.K = sp.coo_matrix((np.tile(s.Ke.ravel(), len(ed)), (np.repeat(ed, m, 1).ravel(), np.tile(ed, (1, m)).ravel())), shape=(3 * off, 3 * off)).tocsr()
        s.fg = np.zeros(3 * off)
        s.fg[2::3] = -RHO * G * s.vol
        s.K = s.K + sp.diags(np.full(3 * off, 1e-08 * E * 1.0 / off))
        P = []
        s.iface = []
        ids = [s.off[b] + np.arange((p * s.nx[b] + 1) * (p * ny + 1) * (p * nz + 1)).reshape(p * s.nx[b] + 1, p * ny + 1, p * nz + 1) for b in range(len(s.blocks))]
        wy = lin(ny, s.h[1])
        wz = lin(nz, s.h[2])

        def add(name, A, B, w, axis, mu, g0tag):
            k = len(s.iface)
            s.iface.append(name)
            for a, b, ww in zip(A.ravel(), B.ravel(), w.ravel()):
                P.append((a, b, ww, axis, mu, g0tag, k))
        for b, (c, x0, x1) in enumerate(s.blocks):
            if c == 0:
                top = ids[b][:, :, 0]
                add(f'ground|B{b}', -np.ones_like(top), top, np.outer(lin(s.nx[b], s.h[0]), wy), 2, 1.0, 1 if x1 <= length / 2 + 1e-09 else 0)
            for b2, (c2, y0, y1) in enumerate(s.blocks):
                if c2 == c + 1:
                    l, r = (max(x0, y0), min(x1, y1))
                    if r - l > 1e-09:
                        m = int(round((r - l) / s.h[0]))
                        ia = int(round((l - x0) / s.h[0])) * p
                        ib = int(round((l - y0) / s.h[0])) * p
                        add(f'B{b}|B{b2}', ids[b][ia:ia + p * m + 1, :, -1], ids[b2][ib:ib + p * m + 1, :, 0], np.outer(lin(m, s.h[0]), wy), 2, 0.5, 0)
                if c2 == c and abs(y0 - x1) < 1e-09:
                    add(f'head B{b}|B{b2}', ids[b][-1], ids[b2][0], np.outer(wy, wz), 0, 0.5, 0)
        P = np.array(P)
        s.pa = P[:, 0].astype(int)
        s.pb = P[:, 1].astype(int)
        s.w = P[:, 2]
        s.ax = P[:, 3].astype(int)
        s.mu = P[:, 4]
        s.tag = P[:, 5]
        s.ifid = P[:, 6].astype(int)
        m = len(P)
        r = np.arange(m)
        t1 = np.where(s.ax == 2, 0, 1)
        t2 = np.where(s.ax == 2, 1, 2)
        s.t1, s.t2 = (t1, t2)

        def mk(d):
            ok = s.pa >= 0
            return sp.coo_matrix((np.r_[np.ones(m), -np.ones(ok.sum())], (np.r_[r, r[ok]], np.r_[3 * s.pb + d, 3 * s.pa[ok] + d[ok]])), shape=(m, 3 * off)).tocsr()
        s.Bn, s.B1, s.B2 = (mk(s.ax), mk(t1), mk(t2))
        s.ids = ids

    def patch(s, a, b, F):
        f = np.zeros(3 * s.N)
        top = max((c for c, _, _ in s.blocks))
        wy = s.lin(s.ny, s.h[1])
        for k, (c, x0, x1) in enumerate(s.blocks):
            if c != top:
                continue
            l, r = (max(a, x0), min(b, x1))
            if r - l < 1e-09:
                continue
            m = int(round((r - l) / s.h[0]))
            i = int(round((l - x0) / s.h[0])) * s.p
            np.add.at(f, 3 * s.ids[k][i:i + s.p * m + 1, :, -1].ravel() + 2, -F / ((b - a) * DY) * np.outer(s.lin(m, s.h[0]), wy).ravel())
        return f

    def solve(s, f, g0, friction, u, slip, kfac=1000.0, verbose=True):
        kn = kfac * E / HZ * s.w
        kt = kn
        mu = s.mu if friction == 'coulomb' else np.zeros_like(s.mu) if friction == 'mu0' else np.full_like(s.mu, 1000000000000.0)
        Bn, B1, B2 = (s.Bn, s.B1, s.B2)
        first = u is None
        if first:
            u = np.zeros(3 * s.N)
        nf = np.linalg.norm(f)
        s.nit = 0

        def laws(u, limfix, initial=False):
            gn = Bn @ u + g0
            q1 = kt * (B1 @ u - slip[0])
            q2 = kt * (B2 @ u - slip[1])
            act = np.ones(len(gn), bool) if initial else gn < 0
            p = np.where(act, -kn * gn, 0)
            lim = mu * np.maximum(p, 0) if limfix is None else limfix
            tt = np.hypot(q1, q2)
            live = act if limfix is None else lim > 0
            stick = live & ((tt <= lim) | initial) & (mu > 0)
            slid = live & ~stick & (mu > 0)
            n1 = q1 / np.maximum(tt, 1e-300)
            n2 = q2 / np.maximum(tt, 1e-300)
            T1 = np.where(stick, q1, np.where(slid, lim * n1, 0))
            T2 = np.where(stick, q2, np.where(slid, lim * n2, 0))
            return (gn, act, p, lim, tt, stick, slid, n1, n2, T1, T2)

        def resid(u, L):
            return s.K @ u - f - Bn.T @ L[2] + B1.T @ L[9] + B2.T @ L[10]

        def newton(u, limfix, maxit, tol=1e-09, initial=False, ls=False):
            hist = []
            for it in range(maxit):
                L = laws(u, limfix, initial and it == 0)
                gn, act, p, lim, tt, stick, slid, n1, n2, T1, T2 = L
                res = resid(u, L)
                rn = np.linalg.norm(res) / nf
                hist.append(rn)
                if rn < tol and (not (initial and it == 0)):
                    return (u, L, rn, True)
                if not ls and it > 3 and (rn > 1000000.0):
                    break
                ratio = np.where(slid, lim / np.maximum(tt, 1e-300), 0)
                d11 = np.where(stick, kt, kt * ratio * (1 - n1 * n1))
                d22 = np.where(stick, kt, kt * ratio * (1 - n2 * n2))
                d12 = np.where(stick, 0, -kt * ratio * n1 * n2)
                KT = s.K + Bn.T @ sp.diags(np.where(act, kn, 0)) @ Bn + B1.T @ sp.diags(d11) @ B1 + B2.T @ sp.diags(d22) @ B2 + B1.T @ sp.diags(d12) @ B2 + B2.T @ sp.diags(d12) @ B1
                if slid.any() and limfix is None:
                    KT = KT + B1.T @ sp.diags(-mu * kn * n1 * slid) @ Bn + B2.T @ sp.diags(-mu * kn * n2 * slid) @ Bn
                du = -pypardiso.spsolve(KT.tocsr(), res)
                s.nit += 1
                al = 1.0
                if ls and (not (initial and it == 0)):
                    d = lambda t: float(resid(u + t * du, laws(u + t * du, limfix)) @ du)
                    if d(1.0) > 0 and abs(d(1.0)) > 0.2 * abs(d(0.0)):
                        lo, hi = (0.0, 1.0)
                        for _ in range(14):
                            m = (lo + hi) / 2
                            if d(m) > 0:
                                hi = m
                            else:
                                lo = m
                        al = lo if lo > 0 else hi
                u = u + al * du
            L = laws(u, limfix)
            rn = np.linalg.norm(resid(u, L)) / nf
            return (u, L, rn, rn < tol)
        ok = False
        tolf = 1e-07
        v, L, rn, ok = newton(u, None, 15, tolf, initial=first)
        if ok:
            u = v
        else:
            if first:
                u, L, rn, _ = newton(u, np.zeros(len(g0)), 60, 1e-08, initial=True, ls=True)
            lim = mu * np.maximum(laws(u, None)[2], 0)
            for outer in range(60):
                u, L, rn1, ok1 = newton(u, lim, 60, 1e-08, ls=True)
                p = L[2]
                new = mu * np.maximum(p, 0)
                ch = abs(new - lim).sum() / max(new.sum(), 1e-300)
                lim = new if outer % 2 or outer < 6 else 0.5 * (new + lim)
                if outer >= 2 and outer % 2 == 0:
                    v, L2, rn, ok = newton(u, None, 8, tolf)
                    if ok:
                        u = v
                        L = L2
                        break
                if ch < 1e-07:
                    break
            if not ok:
                L = laws(u, None)
                rn = np.linalg.norm(resid(u, L)) / nf
                if verbose:
                    print('   fixed point: outer', outer, 'change', ch, 'residual', rn, flush=True)
        gn, act, p, lim, tt, stick, slid, n1, n2, T1, T2 = L
        it = s.nit
        hist = [rn]
        s.info = dict(newton_its=it, residual=float(rn), closed=int(act.sum()), stick=int((stick & act).sum()), slide=int((slid & act).sum()), pairs=len(gn), max_penetration=float(max(0, -gn.min())))
        if verbose:
            print(s.kind, s.n, friction, s.info, ['%.1e' % h for h in hist[-4:]], flush=True)
        slip = (B1 @ u - T1 / kt, B2 @ u - T2 / kt)
        slip = (np.where(act, slip[0], B1 @ u), np.where(act, slip[1], B2 @ u))
        return (u, slip, p, T1, T2)

    def post(s, u, p, T1, T2):
        out = {'solver': dict(s.info), 'interfaces': {}, 'course_midheight': []}
        Xc = s.X[s.pb]
        for k, nm in enumerate(s.iface):
            m = s.ifid == k
            N = p[m].sum()
            o = dict(N=N, cop=[float(v) for v in (Xc[m] * p[m, None]).sum(0) / N] if N > 1e-09 else None, p_mean=N / s.w[m].sum(), closed_area_fraction=float(s.w[m][p[m] > 0].sum() / s.w[m].sum()))
            ax = ('x', 'y') if s.ax[m][0] == 2 else ('y', 'z')
            o['T%s_on_upper_or_right' % ax[0]] = -T1[m].sum()
            o['T%s_on_upper_or_right' % ax[1]] = -T2[m].sum()
            out['interfaces'][nm] = {a: float(b) if not isinstance(b, (list, type(None))) else b for a, b in o.items()}
        ue = u[s.ed]

        def sig(xi):
            B, A = Bmat(s.kind, s.h, xi)
            e = ue @ B.T
            if A is not None:
                e = e + ue @ s.Al.T @ A.T
            return e @ D
        g2 = np.polynomial.legendre.leggauss(2)[0]
        cen = s.X[s.conn].mean(1)
        hz = s.h[2]
        vmis = lambda S: np.sqrt(0.5 * ((S[:, 0] - S[:, 1]) ** 2 + (S[:, 1] - S[:, 2]) ** 2 + (S[:, 2] - S[:, 0]) ** 2) + 3 * (S[:, 3] ** 2 + S[:, 4] ** 2 + S[:, 5] ** 2))
        Sv = 0
        best = (0, None)
        for a in g2:
            for b in g2:
                for c in g2:
                    S = sig((a, b, c))
                    Sv = Sv + S / 8
                    v = vmis(S)
                    i = v.argmax()
                    if v[i] > best[0]:
                        best = (float(v[i]), [float(t) for t in cen[i] + s.h / 2 * np.array([a, b, c])], int(s.eblock[i]))
        St = sum((sig((a, b, 1.0)) for a in g2 for b in g2)) / 4
        Sb = sum((sig((a, b, -1.0)) for a in g2 for b in g2)) / 4
        vc = vmis(Sv)
        i = vc.argmax()
        out['von_mises_max_gauss2x2x2'] = dict(value=best[0], at=best[1], block=best[2])
        out['von_mises_max_element_mean_stress'] = dict(value=float(vc[i]), at=[float(t) for t in cen[i]], block=int(s.eblock[i]))
        bo = (0, None)
        for k, (c, x0, x1) in enumerate(s.blocks):
            e = s.eblock == k
            zm = (c + 0.5) * HZ
            xm = (x0 + x1) / 2
            full = x1 - x0 > LX * 0.75
            for hf in (0, 1) if full else (2,):
                sel = e & (cen[:, 0] < xm if hf == 0 else cen[:, 0] > xm if hf == 1 else True)
                lo = sel & (abs(cen[:, 2] + hz / 2 - zm) < 1e-09)
                up = sel & (abs(cen[:, 2] - hz / 2 - zm) < 1e-09)
                out['course_midheight'].append(dict(course=c, block=k, half={0: 'left', 1: 'right', 2: 'whole(half block)'}[hf], szz_plane=float((St[lo, 2].mean() + Sb[up, 2].mean()) / 2), szz_volume=float(Sv[sel, 2].mean()), sxx_volume=float(Sv[sel, 0].mean()), sxz_volume=float(Sv[sel, 5].mean()), vm_of_mean=float(vmis(Sv[sel].mean(0)[None])[0])))
                for yy in (0, 1):
                    for zz in (0, 1):
                        q = sel & ((cen[:, 1] > DY / 2) == bool(yy)) & ((cen[:, 2] > zm) == bool(zz))
                        v = float(vmis(Sv[q].mean(0)[None])[0])
                        if v > bo[0]:
                            bo = (v, [float(t) for t in cen[q].mean(0)], k)
        out['von_mises_max_of_0.25x0.15x0.125_cell_mean_stress'] = dict(value=bo[0], at=bo[1], block=bo[2])
        bl = []
        for k, (c, x0, x1) in enumerate(s.blocks):
            nn = slice(s.off[k], s.off[k] + (s.p * s.nx[k] + 1) * (s.p * s.ny + 1) * (s.p * s.nz + 1))
            w = s.vol[nn]
            bl.append(dict(block=k, course=c, x=[x0, x1], mean_u=[float((w * u[d::3][nn]).sum() / w.sum()) for d in range(3)]))
        out['blocks'] = bl
        return out

def case(kind, n, friction, name, kfac=1000.0, **kw):
    W = Wall(kind, n, **kw)
    z = (np.zeros(len(W.w)),) * 2
    g0 = np.zeros(len(W.w))
    u, sl, p, T1, T2 = W.solve(W.fg, g0, friction, None, z, kfac)
    if name == 'gravity':
        return W.post(u, p, T1, T2)
    if name == 'patch':
        u, sl, p, T1, T2 = W.solve(W.fg + W.patch(0.25, 0.75, 100000.0), g0, friction, u, sl, kfac)
    else:
        u, sl, p, T1, T2 = W.solve(W.fg, g0 + W.tag * float(name.split('_')[1]), friction, u, sl, kfac)
    return W.post(u, p, T1, T2)
if __name__ == '__main__':
    out = sys.argv[1]
    jobs = [j.split(':') for j in sys.argv[2:]]
    for kind, n, fr, cs in jobs:
        t = time.time()
        try:
            r = case(kind, int(n), fr, cs)
        except Exception as ex:
            r = {'error': repr(ex)}
            print(ex)
        try:
            d = json.load(open(out))
        except Exception:
            d = {}
        d[f'{cs}/{fr}/{kind}/n{n}'] = r
        json.dump(d, open(out, 'w'), indent=1)
        print(f'{cs}/{fr}/{kind}/n{n}', '%.1fs' % (time.time() - t), flush=True)
