"""An elastic bar of linear finite elements in one dimension that hits a rigid wall with 0.1 m/s.

Its mass is lumped or consistent; steps are taken by the midpoint rule or by backward Euler; contact of the first node is
unilateral, without restitution. Writes bar.json. Needs numpy.
"""
import numpy as np, json
E, R, L, V0 = (60000000000.0, 2700.0, 1.0, 0.1)
c = np.sqrt(E / R)
Tex = 2 * L / c

def run(n, cfl, theta, lump, gappred=True, tend=2.0):
    h = L / n
    dt = cfl * h / c
    N = n + 1
    K = np.zeros((N, N))
    M = np.zeros((N, N))
    for e in range(n):
        i = [e, e + 1]
        K[np.ix_(i, i)] += E / h * np.array([[1, -1], [-1, 1]])
        M[np.ix_(i, i)] += R * h / 2 * np.eye(2) if lump else R * h / 6 * np.array([[2, 1], [1, 2]])
    A = M + (theta * dt) ** 2 * K
    Ai = np.linalg.inv(A)
    x = np.zeros(N)
    v = np.full(N, -V0)
    I = []
    t = 0
    eps = 1e-12
    while t < tend * Tex:
        rhs = M @ v - dt * K @ (x + (1 - theta) * dt * v) + 0 * v
        rhs = M @ v - dt * K @ (x + theta * (1 - theta) * dt * v)
        vf = Ai @ rhs
        r = 0.0
        g = x[0] + (dt * 0.5 * v[0] if gappred else 0)
        if g <= eps and vf[0] < 0:
            r = -vf[0] / Ai[0, 0]
        v1 = vf + Ai[:, 0] * r
        x = x + dt * (theta * v1 + (1 - theta) * v)
        v = v1
        t += dt
        I.append(r)
    I = np.array(I)
    tot = I.sum()
    k = np.nonzero(I > 1e-06 * tot)[0]
    cum = np.cumsum(I) / tot
    t95 = (np.searchsorted(cum, 0.95) + 1) * dt
    tt = (np.arange(len(I)) + 0.5) * dt
    gaps = np.diff(k)
    mlast = (k[-1] + 1) * dt
    first_open = (k[0] + (np.argmax(gaps > max(2, 0.2 * n / cfl)) + 1 if (gaps > max(2, 0.2 * n / cfl)).any() else k[-1] + 1)) * dt
    vm = (M @ v).sum() / M.sum()
    Ekin = 0.5 * v @ M @ v + 0.5 * x @ K @ x
    mean = (I * tt).sum() / tot
    return dict(n=n, courant=cfl, dt=dt, duration=mlast, duration_error=mlast / Tex - 1, duration_2x_impulse_centroid=2 * mean, centroid_error=2 * mean / Tex - 1, t95_over_0p95T=t95 / (0.95 * Tex) - 1, impulse_over_2mv=tot / (2 * R * L * V0), rebound_mean_velocity_over_v0=vm / V0, energy_ratio=Ekin / (0.5 * R * L * V0 ** 2), n_contact_steps=len(k), interrupted=bool((gaps > 1).any()))
out = dict(exact=Tex, c=c, rows=[])
for lump in (True, False):
    for th, nm in ((0.5, 'midpoint'), (1.0, 'backward_euler')):
        for cf in (1.0, 0.5, 0.1):
            for n in (10, 20, 40, 80):
                d = run(n, cf, th, lump)
                d.update(scheme=nm, mass='lumped' if lump else 'consistent')
                out['rows'].append(d)
                print('%-10s %-14s C=%.2f n=%3d T=%.4e err=%+.4f cent=%+.4f t95=%+.4f I/2mv=%.4f vreb=%.4f E=%.4f int=%d' % (d['mass'], nm, cf, n, d['duration'], d['duration_error'], d['centroid_error'], d['t95_over_0p95T'], d['impulse_over_2mv'], d['rebound_mean_velocity_over_v0'], d['energy_ratio'], d['interrupted']))
json.dump(out, open('bar.json', 'w'), indent=1)
print(Tex)
