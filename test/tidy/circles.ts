import { isTest } from './import-rules.ts'
import type { SourceFile } from './source-file.ts'

/** By file or folder, what it imports. */
export type Arrows = ReadonlyMap<string, ReadonlySet<string>>

/** The imports of product files, of types as well; tests may import what they need. @param nodeOf the file, or its folder */
function arrowsBetween(files: readonly SourceFile[], nodeOf: (path: string) => string): Arrows {
  const arrows = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    if (isTest(path)) continue
    const node = nodeOf(path)
    const targets = arrows.get(node) ?? new Set()
    for (const to of imports) if (to.kind === 'file' && nodeOf(to.path) !== node) targets.add(nodeOf(to.path))
    arrows.set(node, targets)
  }
  return arrows
}

export const fileArrows = (files: readonly SourceFile[]): Arrows => arrowsBetween(files, (path) => path)

/**
 * Folders are each of `services/`, each of `packages/` or, where such a folder only has rooms by subject, each of its rooms, and each
 * other folder at the top.
 */
const folder = /^(packages\/(accounts|content|events|foundation|history|jobs)\/|packages\/|services\/)?[^/]+/

export const folderArrows = (files: readonly SourceFile[]): Arrows =>
  arrowsBetween(files, (path) => folder.exec(path)?.[0] ?? path)

/** Every circle that a walk along the arrows meets, as `a → b → a`. */
export function circlesIn(arrows: Arrows): string[] {
  const circles: string[] = []
  const path: string[] = []
  const done = new Set<string>()
  const visit = (node: string): void => {
    if (path.includes(node)) circles.push([...path.slice(path.indexOf(node)), node].join(' → '))
    if (path.includes(node) || done.has(node)) return
    path.push(node)
    for (const to of arrows.get(node) ?? []) visit(to)
    path.pop()
    done.add(node)
  }
  for (const node of arrows.keys()) visit(node)
  return circles
}
