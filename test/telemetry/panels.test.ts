import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { expect } from 'chai'
import { choices, panelQueries, runbookQueries, traceSearches } from './panels.ts'

describe('the queries of the dashboards', () => {
  it('have every variable filled in, as Grafana does', () => {
    const queries = panelQueries({ range: '100s', rateInterval: '5s' })
    expect(queries.length).to.be.above(50)
    expect(queries.filter(({ expr }) => expr.includes('$'))).to.deep.equal([])
    expect(queries.some(({ expr }) => expr.includes('job=~"video-intelligence/.+"'))).to.equal(true)
    expect(queries.some(({ expr, isInstant }) => isInstant && expr.includes('[100s]'))).to.equal(true)
  })

  it('come with what each runbook asks, in full', () => {
    const queries = runbookQueries()
    const runbooks = globSync('ops/runbooks/*.md').map((path) => basename(path))
    const asked = new Set(queries.map(({ runbook }) => runbook))
    expect(runbooks.filter((name) => name !== 'README.md' && !asked.has(name))).to.deep.equal([])
    expect(queries.filter(({ expr }) => expr.trim() === '' || /[$<>]\w+>?|\.\.\./.test(expr))).to.deep.equal([])
  })

  it('offer choices of labels of series', () => {
    const ofPlatforms = choices().filter(({ dashboard }) => dashboard === 'Platforms')
    expect(ofPlatforms).to.deep.include({
      dashboard: 'Platforms',
      variable: 'platform',
      series: 'video_read_duration_seconds_sum',
      label: 'video_platform',
    })
  })

  it('lead to traces', () => {
    const searches = traceSearches({ jobId: 'a-job', organization: 'an-organization' })
    const ofOne = searches.find(({ title }) => title === 'The job of this id')
    expect(ofOne).to.deep.include({ operation: 'job', tags: 'video.job.id=a-job' })
    expect(searches.length).to.be.above(3)
  })
})
