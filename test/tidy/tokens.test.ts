import { expect } from 'chai'
import { specifiersOf } from './source-file.ts'
import { stands, tokensOf } from './tokens.ts'

const modulesIn = (source: string) => specifiersOf(tokensOf(source))

describe('tidy: finding what source imports', () => {
  const forms: [string, string][] = [
    ['a default import', `import x from 'm'`],
    ['named imports over several lines', `import {\n  a,\n  type B,\n} from 'm'`],
    ['a namespace', `import * as x from "m"`],
    ['an import for its effect', `import 'm'`],
    ['a type-only import', `import type { T } from 'm'`],
    ['a re-export of everything', `export * from 'm'`],
    ['a named re-export', `export { a as b } from 'm'`],
    ['a re-exported type', `export type { T } from 'm'`],
    ['a dynamic import', `const x = await import('m')`],
    ['a dynamic import with options', `await import('m', { with: { type: 'json' } })`],
    ['a dynamic import with a plain template', 'await import(`m`)'],
    ['a type of another module', `let x: import('m').T`],
    ['require', `const x = require('m')`],
    ['resolving a module', `import.meta.resolve('m')`],
    ['an import with attributes', `import x from 'm' with { type: 'json' }`],
    ['one after a comment in the middle', `import x /* from 'other' */ from 'm'`],
    ['one without blanks', `import{a}from'm'`],
    ['one inside a substitution of a template', 'const x = `${await import("m")}`'],
    ['one after a template with braces', 'const x = `{ ${{ a: 1 }.a} }`\nimport "m"'],
    ['one after a regular expression with quotes', `const x = /['"\`]/.test(y)\nimport 'm'`],
    ['one after a regular expression with a slash in a class', `const x = y.replace(/[/'"]/g, '')\nimport 'm'`],
    ['one after a division', `const x = a / b / c\nimport 'm'`],
  ]
  for (const [what, source] of forms)
    it(`finds ${what}`, () => {
      expect(modulesIn(source)).to.deep.equal(['m'])
    })

  const others: [string, string][] = [
    ['a comment to the end of the line', `// import 'm'`],
    ['a block comment', `/* import x from 'm' */`],
    ['a string', `const x = "import 'm'"`],
    ['a template', "const x = `import 'm' from 'm'`"],
    ['a template around a substitution', "const x = `import 'm' ${y} from 'm'`"],
    ['a regular expression', `const x = /import 'm'/`],
    ['a method named from', `Buffer.from('m')`],
    ['import.meta.url', `const x = new URL('m', import.meta.url)`],
  ]
  for (const [what, source] of others)
    it(`is not misled by ${what}`, () => {
      expect(modulesIn(source)).to.deep.equal([])
    })

  it('reports an import with a computed name', () => {
    expect(modulesIn('await import(name)\nawait import(`./${name}.ts`)')).to.deep.equal([null, null])
  })

  it('finds code, but not the contents of strings', () => {
    const sequence = ['process', '.', 'env']
    expect(stands(tokensOf('const x = process\n  .env.PORT'), sequence)).to.equal(true)
    expect(stands(tokensOf(`const x = 'process.env' // process.env`), sequence)).to.equal(false)
  })
})
