import { expect } from 'chai'
import { nextPath } from './next-path.ts'

describe('the path that a sign-in redirects to', () => {
  it('is the page that the visitor requested', () => {
    for (const path of ['/', '/org/1/jobs', '/org/1/jobs?status=failed&q=a%26b', '/invitation?token=x'])
      expect(nextPath(path)).to.equal(path)
  })

  it('is always below the dashboard', () => {
    for (const path of [
      ...['//evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example', '/\n/evil.example'],
      ...['https://evil.example', 'https:evil.example', 'javascript:alert(1)', 'evil.example', '', ' /x'],
      ...['/.//evil.example', '/x/..//evil.example', '//[', `/${'x'.repeat(2000)}`],
    ])
      expect(nextPath(path), JSON.stringify(path)).to.equal('/')
    expect(nextPath(null)).to.equal('/')
  })

  it('has no line ends that could split a header', () => {
    expect(nextPath('/x%0d%0aSet-Cookie:a=b')).to.not.match(/[\r\n]/)
    expect(nextPath('/x\r\nSet-Cookie: a=b')).to.not.match(/[\r\n]/)
  })
})
