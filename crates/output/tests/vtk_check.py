"""Reads VTK files with VTK itself and prints what it found as one JSON object per file.

Usage: vtk_check.py FILE.vtp|FILE.vtu|FILE.pvd...
"""

import json
import sys
import xml.etree.ElementTree as ElementTree

import vtk
from vtk.util.numpy_support import vtk_to_numpy


class Complaints:
    """Collects what VTK would print, so that a file read with a warning counts as unreadable."""

    def __init__(self, reader):
        self.messages = []
        for event in ("ErrorEvent", "WarningEvent"):
            reader.AddObserver(event, self.note)

    def note(self, _caller, event):
        self.messages.append(event)


def texts(array):
    return [array.GetValue(i) for i in range(array.GetNumberOfValues())]


def describe(data):
    cells = data.GetCellData()
    arrays = {}
    for i in range(cells.GetNumberOfArrays()):
        array = cells.GetAbstractArray(i)
        is_text = isinstance(array, vtk.vtkStringArray)
        arrays[array.GetName()] = texts(array) if is_text else vtk_to_numpy(array).tolist()
    groups = data.GetFieldData().GetAbstractArray("groups")
    return {
        "points": data.GetNumberOfPoints(),
        "cells": data.GetNumberOfCells(),
        "types": sorted({data.GetCellType(i) for i in range(data.GetNumberOfCells())}),
        "bounds": list(data.GetBounds()),
        "cell_data": arrays,
        "groups": texts(groups) if groups else [],
    }


def enclosed_volume(polydata):
    triangles = vtk.vtkTriangleFilter()
    triangles.SetInputData(polydata)
    mass = vtk.vtkMassProperties()
    mass.SetInputConnection(triangles.GetOutputPort())
    mass.Update()
    return mass.GetVolume()


def volume_of_block(polydata, block):
    cut = vtk.vtkThreshold()
    cut.SetInputData(polydata)
    cut.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_CELLS, "block")
    cut.SetLowerThreshold(block)
    cut.SetUpperThreshold(block)
    surface = vtk.vtkGeometryFilter()
    surface.SetInputConnection(cut.GetOutputPort())
    surface.Update()
    return enclosed_volume(surface.GetOutput())


def read_polydata(path):
    reader = vtk.vtkXMLPolyDataReader()
    complaints = Complaints(reader)
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    found = describe(data)
    blocks = sorted(set(found["cell_data"].get("block", [])))
    found["volumes"] = [volume_of_block(data, block) for block in blocks]
    return found, complaints


def read_grid(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    complaints = Complaints(reader)
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    found = describe(data)
    points = data.GetPointData()
    found["point_data"] = {
        points.GetArrayName(i): vtk_to_numpy(points.GetArray(i)).tolist() for i in range(points.GetNumberOfArrays())
    }
    found["faces"] = [data.GetCell(i).GetNumberOfFaces() for i in range(data.GetNumberOfCells())]
    surface = vtk.vtkGeometryFilter()
    surface.SetInputData(data)
    surface.Update()
    found["surface_volume"] = enclosed_volume(surface.GetOutput())
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(data)
    sizes.Update()
    found["cell_volumes"] = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume")).tolist()
    return found, complaints


def read_collection(path):
    root = ElementTree.parse(path).getroot()
    sets = root.findall("Collection/DataSet")
    found = {"frames": [[float(s.get("timestep")), s.get("file")] for s in sets]}
    return found, None


READERS = {"vtp": read_polydata, "vtu": read_grid, "pvd": read_collection}

for file in sys.argv[1:]:
    found, complaints = READERS[file.rsplit(".", 1)[1]](file)
    found["complaints"] = complaints.messages if complaints else []
    print(json.dumps(found))
