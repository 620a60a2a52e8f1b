import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { sourceFile } from './source-file.ts'
import { commentRule, oldWords, phraseRule, wordRule } from './words.ts'

const complaintsAbout = (path: string, source = ''): string[] => wordRule.check(sourceFile(path, source))

describe('tidy: the words of the glossary', () => {
  const glossary = readFileSync('ops/glossary.md', 'utf8')

  it('have the terms that replace old words', () => {
    const terms = [...glossary.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, terms]) => terms?.split(', ') ?? [])
    const wanted = Object.values(oldWords).flatMap((words) => words.split(' or '))
    expect(wanted.filter((term) => !terms.includes(term.replace(/routes$/, 'route')))).to.deep.equal([])
  })

  for (const [path, source] of [
    ['packages/foundation/concurrency/shared-work.ts', ''],
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
    ['packages/foundation/concurrency/single-flight.ts', 'export class SingleFlight {}'],
    ['packages/history/questions.ts', 'export const exited = 0'],
    ['packages/a.ts', 'class Visit {}'],
    ['packages/a.ts', '// export class Visit'],
  ] as const)
    it(`take ${path} with ${source}`, () => {
      expect(complaintsAbout(path, source)).to.deep.equal([])
    })
})

describe('tidy: the words of pages and mails', () => {
  const page = 'services/dashboard/pages/a.tsx'
  const complaints = (path: string, source: string) => phraseRule.check(sourceFile(path, source))

  it('refuse a phrase that stops a reader, also if it is broken over two lines', () => {
    expect(complaints(page, '<p>They are given\n  back.</p>')).to.have.length(1)
    expect(complaints('packages/accounts/people/mail-texts.ts', "'It is shown here and never again.'")).to.have.length(
      1,
    )
  })

  it('are not checked in comments, in tests and in other code', () => {
    expect(complaints(page, '/** Given back. */ // never again\nconst refunded = 1')).to.deep.equal([])
    for (const path of ['services/dashboard/pages/a.test.ts', 'packages/a.ts'])
      expect(complaints(path, "'given back'")).to.deep.equal([])
  })
})

describe('tidy: the words of comments', () => {
  const complaints = (path: string, source: string) => commentRule.check(sourceFile(path, source))
  const phrase = 'Undefined where'

  it('refuse a phrase that makes a reader stop, also if it is broken over two lines', () => {
    expect(complaints('packages/a.ts', '/**\n * The caller that is\n * told.\n */')).to.have.length(1)
    expect(complaints('packages/a.ts', `const a = 1 // ${phrase} there is none.`)).to.have.length(1)
  })

  it('are not checked in code', () => {
    expect(complaints('packages/a.ts', "it('is told', () => {})")).to.deep.equal([])
  })
})
