import { isTest } from './import-rules.ts'
import type { SourceFile } from './source-file.ts'

/** The imports of each file or folder. */
export type Arrows = ReadonlyMap<string, ReadonlySet<string>>

/**
 * The imports of product files, types included; tests may import what they need. @param nodeOf the file, or its folder
 */
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
 * A folder is one of `services/` or of `packages/`, or any other folder at the top. If a folder of `packages/` has only
 * subfolders, each subfolder counts.
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
