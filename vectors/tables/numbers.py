"""What the tables of several machines share: lists of operands, division."""


def pairs(edges, distances):
    """Each edge with itself and with those so far away, some in both orders."""
    count = len(edges)
    chosen = [(edge, edge) for edge in edges]
    for distance in distances:
        chosen += [(edges[i], edges[(i + distance) % count]) for i in range(count)]
    return chosen + [(b, a) for a, b in chosen[count::3]]


def quotient(a, b):
    """Rounded to zero."""
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    """With the sign of a."""
    return 0 if b == 0 else a - b * quotient(a, b)
