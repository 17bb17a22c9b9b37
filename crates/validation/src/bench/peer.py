"""Times of compas_cra on one model: `peer.py FILE SUPPORTS METHOD FRICTION` prints one JSON object."""

import contextlib
import json
import os
import sys
import time

import compas
from compas_cra.algorithms import assembly_interfaces_numpy
from compas_cra.datastructures import CRA_Assembly
from compas_cra.equilibrium import cra_solve, rbe_solve

path, supports, method, friction = sys.argv[1:5]
assembly = compas.json_load(path)
if not isinstance(assembly, CRA_Assembly):
    assembly = assembly.copy(cls=CRA_Assembly)
if supports:
    assembly.set_boundary_conditions([int(key) for key in supports.split(",")])
stored = any(
    assembly.graph.edge_attribute(edge, "interfaces") for edge in assembly.graph.edges()
)
if not stored:
    assembly_interfaces_numpy(assembly, nmax=10, amin=1e-2, tmax=1e-2)

solve = {"rbe": rbe_solve, "cra": cra_solve}[method]
verdict, reason = "stable", ""
start = time.process_time()
with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
    try:
        solve(assembly, mu=float(friction), density=1.0)
    except Exception as error:
        verdict, reason = "unstable", str(error).splitlines()[0][:80]
print(json.dumps({"verdict": verdict, "reason": reason, "time_s": time.process_time() - start}))
