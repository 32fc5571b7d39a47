"""Cycles of a directed graph, found and broken at the weakest edge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

__all__ = ["break_cycles", "cyclic_components"]


def break_cycles(edges: Sequence[tuple[str, str]]) -> dict[int, list[str]]:
    """Return the edges to remove (by position) and the cycle each would close; the rest is acyclic.

    ``edges`` come strongest first. Each removed edge is the weakest of its cycle: edges are taken in
    order, and one that closes a cycle with stronger ones is left out (Kruskal's rule). Only edges within
    a strongly connected component are walked, so that the cost elsewhere is linear.
    """
    component = cyclic_components(edges)
    following: dict[str, list[str]] = defaultdict(list)
    removed: dict[int, list[str]] = {}
    for i, (first, second) in enumerate(edges):
        if first not in component or component[first] != component.get(second):
            continue
        path = _path(following, second, first)
        if path:
            removed[i] = [first, *path]
        else:
            following[first].append(second)
    return removed


def cyclic_components(edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Number the strongly connected components that hold a cycle; nodes on no cycle are left out.

    Kosaraju's two passes (Sharir, 1981), iterative: depth is bounded by memory, not by the call stack.
    """
    following: dict[str, list[str]] = defaultdict(list)
    preceding: dict[str, list[str]] = defaultdict(list)
    for first, second in edges:
        following[first].append(second)
        preceding[second].append(first)
    loops = {first for first, second in edges if first == second}
    component: dict[str, int] = {}
    seen: set[str] = set()
    for root in reversed(_finish_order(following)):
        if root in seen:
            continue
        group = _reach(preceding, root, seen)
        if len(group) > 1 or root in loops:
            component.update(dict.fromkeys(group, len(component)))
    return component


def _finish_order(following: Mapping[str, list[str]]) -> list[str]:
    """Nodes in the order in which depth-first search leaves them."""
    order: list[str] = []
    seen: set[str] = set()
    for root in list(following):
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(following.get(root, ())))]
        while stack:
            node, others = stack[-1]
            fresh = next((other for other in others if other not in seen), None)
            if fresh is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(fresh)
                stack.append((fresh, iter(following.get(fresh, ()))))
    return order


def _reach(edges: Mapping[str, list[str]], root: str, seen: set[str]) -> list[str]:
    """Unseen nodes that can be reached from ``root``; marks them as seen."""
    seen.add(root)
    group = [root]
    for node in group:
        for other in edges.get(node, ()):
            if other not in seen:
                seen.add(other)
                group.append(other)
    return group


def _path(following: Mapping[str, list[str]], start: str, goal: str) -> list[str]:
    """Shortest path from ``start`` to ``goal``, both included; empty if there is none."""
    previous: dict[str, str] = {}
    queue, seen = [start], {start}
    for node in queue:
        if node == goal:
            path = [node]
            while path[-1] != start:
                path.append(previous[path[-1]])
            return path[::-1]
        for other in following.get(node, ()):
            if other not in seen:
                seen.add(other)
                previous[other] = node
                queue.append(other)
    return []
