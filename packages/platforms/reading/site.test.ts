import { expect } from 'chai'
import { jsonScripts } from './site.ts'

describe('the scripts of a page', () => {
  it('are those of type JSON with the mark in their tag or text', () => {
    const page = `<script>{"mark":0}</script><script id="mark" type="application/json">{"a":1}</script>
      <script type=application/json data-sjs>{"mark":2}</script><script type="application/json">{"a":3}</script>`
    expect(jsonScripts(page, 'mark')).to.deep.equal([{ a: 1 }, { mark: 2 }])
  })

  it('are found in one pass over a page with endless opening tags', () => {
    const started = performance.now()
    expect(jsonScripts('<script '.repeat(1024 * 1024), 'mark')).to.deep.equal([])
    expect(performance.now() - started).to.be.below(10_000)
  })
})
