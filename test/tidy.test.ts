/** Checks every source file against the rules of style and of imports. */
import { globSync } from 'node:fs'
import { expect } from 'chai'
import { circlesIn, fileArrows, folderArrows } from './tidy/circles.ts'
import { importRules } from './tidy/import-rules.ts'
import { moduleStateRule } from './tidy/module-state.ts'
import { projectFiles } from './tidy/source-file.ts'
import { textRules } from './tidy/text-rules.ts'
import { commentRule, phraseRule, wordRule } from './tidy/words.ts'

describe('tidy', () => {
  const files = projectFiles()
  const paths = files.map(({ path }) => path)

  it('looks at the whole project', () => {
    expect(files.length).to.be.greaterThan(100)
    const known = [
      'ops/contracts/main.ts',
      'packages/adapters/sqlite/event-store.ts',
      'packages/domain/job/job.ts',
      'packages/ports/event-store.ts',
      'services/orchestrator/orchestrator.ts',
      'test/tidy.test.ts',
    ]
    expect(known.filter((path) => !paths.includes(path))).to.deep.equal([])
    expect(paths.filter((path) => /node_modules|generated/.test(path))).to.deep.equal([])
  })

  it('resolves imports to files that exist', () => {
    const targets = files.flatMap(({ imports }) =>
      imports.flatMap((to) => (to.kind === 'file' && /\.tsx?$/.test(to.path) ? [to.path] : [])),
    )
    const known = new Set([...paths, ...globSync('contracts/generated/*')])
    expect(targets.length).to.be.greaterThan(files.length)
    expect([...new Set(targets.filter((path) => !known.has(path)))]).to.deep.equal([])
  })

  it('has no circle of files, imports of types included', () => {
    expect(circlesIn(fileArrows(files))).to.deep.equal([])
  })

  it('has no circle of folders, imports of types included', () => {
    expect(circlesIn(folderArrows(files))).to.deep.equal([])
  })

  for (const rule of [...importRules, ...textRules, moduleStateRule, wordRule, phraseRule, commentRule])
    it(rule.name, () => {
      const complaints = files.flatMap((file) => rule.check(file).map((complaint) => `${file.path} ${complaint}`))
      expect(complaints).to.deep.equal([])
    })
})
