import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { sourceFile } from './source-file.ts'
import { notYet, oldWords, wordRule } from './words.ts'

const complaintsAbout = (path: string, source = ''): string[] => wordRule([]).check(sourceFile(path, source))

describe('tidy: the words of the glossary', () => {
  const glossary = readFileSync('ops/glossary.md', 'utf8')

  it('have the terms that take the place of old words', () => {
    const terms = [...glossary.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, terms]) => terms?.split(', ') ?? [])
    const wanted = Object.values(oldWords).flatMap((words) => words.split(' or '))
    expect(wanted.filter((term) => !terms.includes(term.replace(/routes$/, 'route')))).to.deep.equal([])
  })

  it('leave no word behind that was never an old one', () => {
    expect(notYet.filter((word) => !(word in oldWords))).to.deep.equal([])
  })

  for (const [path, source] of [
    ['packages/work/shared-work.ts', ''],
    ['packages/egress/exit.ts', ''],
    ['test/doubles/mcp-stage.ts', ''],
    ['packages/a.ts', 'export class SharedWork {}'],
    ['packages/a.ts', 'export async function startTrial() {}'],
    ['packages/a.ts', 'export type JobStory = string'],
    ['packages/a.ts', 'export abstract class KeyedBell {}'],
  ] as const)
    it(`refuse ${source || path}`, () => {
      expect(complaintsAbout(path, source)).to.have.length(1)
    })

  for (const [path, source] of [
    ['packages/work/single-flight.ts', 'export class SingleFlight {}'],
    ['packages/history.ts', 'export const exited = 0'],
    ['packages/a.ts', 'class Visit {}'],
    ['packages/a.ts', '// export class Visit'],
  ] as const)
    it(`take ${path} with ${source}`, () => {
      expect(complaintsAbout(path, source)).to.deep.equal([])
    })
})
