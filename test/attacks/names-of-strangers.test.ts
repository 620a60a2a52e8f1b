import { expect } from 'chai'
import { openedForAll } from '#test/doubles/opened.ts'
import { Setting } from '#test/doubles/service/setting.ts'

const names = [
  'clears the screen \u001b[2J\u001b[H and sets the title \u001b]0;owned\u0007',
  'turns the line round \u202etxt.exe\u2066',
  'one line\nand an organization more\rof another name\u009b31m\u2028',
  'hides \u200b\u{e0041}\u{e0042}\ufeff',
]

describe('names that strangers chose, on an operator’s terminal', function () {
  this.timeout(60_000)
  const setting = openedForAll(() => Setting.start({ speech: null }))

  it('are printed on one line each, and the terminal obeys nothing in them', async () => {
    await Promise.all(names.map((name) => setting.service.printed('org', 'create', name)))
    const stdout = await setting.service.printed('org', 'list')
    const lines = stdout.trimEnd().split('\n')
    expect(lines).to.have.length(names.length)
    for (const line of lines) expect(line).to.not.match(/[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/u)
    expect(stdout).to.contain('clears the screen \\u001b[2J').and.contain('turns the line round \\u202etxt')
  })

  it('are as harmless in errors', async () => {
    const { code, stderr } = await setting.service.org('plan', 'unknown \u001b[2J\u202e', 'pro')
    expect(code).to.equal(1)
    expect(stderr)
      .to.contain('unknown \\u001b[2J\\u202e')
      .and.not.match(/(?!\n)\p{Cc}|\u202e/u)
  })
})
