import { expect } from 'chai'
import { csvLine } from './csv.ts'

describe('a line of CSV', () => {
  for (const text of ['=1+1', '+1+1', '-1+cmd', '@SUM(A1)', '\tx', '-', '-1-1', '+49 30 1234', '--1'])
    it(`has ${JSON.stringify(text)} as a text, which no spreadsheet computes`, () =>
      expect(csvLine(['a', text, 1])).to.equal(`a,"'${text}",1`))

  for (const text of ['  =1+1', '\u00a0=1', '\ufeff=1', '\u200b@x', '\0=1', '＝1', '＠x'])
    it(`has ${JSON.stringify(text)} as a text too: invisible and wide characters make no difference`, () =>
      expect(csvLine([text])).to.equal(`"'${text}"`))

  for (const [text, field] of [
    ["x;=cmd|'/C calc'!A0;y", "x;'=cmd|'/C calc'!A0;y"],
    ['x\t@SUM(A1)', "x\t'@SUM(A1)"],
    ['x\n=1', "x\n'=1"],
    ['x; ＝1', "x;' ＝1"],
    [';-1', ";'-1"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['\n=1', "'\n'=1"],
  ] as const)
    it(`keeps it a text if a spreadsheet separates by semicolons or tabs: ${JSON.stringify(text)}`, () =>
      expect(csvLine(['a', text])).to.equal(`a,"${field}"`))

  it('doubles the quotes of a formula', () => expect(csvLine(['=A("x")'])).to.equal(`"'=A(""x"")"`))

  it('has numbers as numbers, even below zero and too large for JavaScript', () =>
    expect(csvLine([-5, -0.5, -1e-7, '-9007199254740993', '-1.5', '-Infinity'])).to.equal(
      '-5,-0.5,-1e-7,-9007199254740993,-1.5,-Infinity',
    ))

  it('has other texts unchanged', () =>
    expect(csvLine(['a=b', '1-2', 'x@example.com', null, ''])).to.equal('a=b,1-2,x@example.com,,'))
})
