"""Small pictures of runs: the graph with names and gradients alone, the loss of a training, a tangent.

Belongs here: how they look. Does not belong here: which runs have one, and the files that keep them (lessons.pictures).
A small picture holds names and numbers of the program and no word of ours, so that it serves every language; its
colours are those of the page it is shown on (style/thumbnails.css).
"""

from explorer.drawing.thumbnails.curves import tangent_thumbnail, training_thumbnail
from explorer.drawing.thumbnails.graph import graph_thumbnail
