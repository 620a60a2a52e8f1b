import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common'
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import { expect } from 'chai'
import { parse } from 'yaml'
import { known } from '#ops/alerts/known-series.fixture.ts'
import { isAlert, ruleGroups } from '#ops/alerts/rules.ts'
import { complaintsAbout, partsOf } from '#ops/prometheus/complaints.fixture.ts'
import { seriesNames } from '#ops/prometheus/names.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { assertValid, describeWithPromtool } from '#test/doubles/promtool.ts'
import { prometheus, traces } from './datasources.ts'
import { dashboardFiles, dashboards } from './files.ts'
import { traceSearch, variable } from './trace-search.ts'

const panelsOf = (dashboard: (typeof dashboards)[number]): Panel[] =>
  (dashboard.panels ?? []).filter((panel): panel is Panel => panel.type !== 'row')

const queriesOf = (panel: Panel): Dataquery[] => (panel.targets ?? []) as Dataquery[]

describe('dashboards', () => {
  it('are up to date: `npm run dashboards`', () => {
    const folder = 'ops/dashboards/json'
    const files = globSync(`${folder}/*`).map((path) => basename(path))
    const written = Object.fromEntries(files.map((file) => [file, readFileSync(`${folder}/${file}`, 'utf8')]))
    expect(written).to.deep.equal(dashboardFiles())
  })

  for (const dashboard of dashboards)
    describe(dashboard.title ?? '', () => {
      const panels = panelsOf(dashboard)
      const variables = (dashboard.templating?.list ?? []).map(({ name }) => name)

      it('asks only for existing series and labels, and shows labels that the query keeps', () => {
        for (const panel of panels)
          for (const { expr, legendFormat = '' } of queriesOf(panel)) {
            expect(complaintsAbout(expr, known), `${panel.title}: ${expr}`).to.deep.equal([])
            const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label)
            const { grouped } = partsOf(expr)
            expect(
              shown.filter((label) => !grouped.includes(label ?? '')),
              `${panel.title}: ${legendFormat}`,
            ).to.deep.equal([])
          }
      })

      it('defines exactly the variables that it uses', () => {
        const text = JSON.stringify(panels)
        const ofGrafana = ['__rate_interval', '__range', '__from', '__to']
        const used = new Set([...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name))
        expect([...used].filter((name) => ![...variables, ...ofGrafana].includes(name ?? ''))).to.deep.equal([])
        expect(variables.filter((name) => !used.has(name))).to.deep.equal([])
      })

      it('fills its rows, and explains every panel', () => {
        const widths = Map.groupBy(panels, ({ gridPos }) => gridPos?.y)
        for (const row of widths.values())
          expect(
            row.reduce((sum, { gridPos }) => sum + (gridPos?.w ?? 0), 0),
            row[0]?.title,
          ).to.equal(24)
        expect(panels.filter(({ description }) => (description ?? '').length < 10)).to.deep.equal([])
      })
    })

  it('and alerts cover every metric', () => {
    const rules = ruleGroups().flatMap((group) => group.rules)
    const exprs = [...dashboards.flatMap(panelsOf).flatMap(queriesOf), ...rules].map(({ expr }) => expr)
    const read = new Set(exprs.flatMap((expr) => partsOf(expr).series.map(({ name }) => name)))
    const unread = Object.values(metrics).filter((metric) => !seriesNames(metric).some((name) => read.has(name)))
    expect(unread.map(({ name }) => name)).to.deep.equal([])
    expect(rules.filter(isAlert).length).to.be.above(10)
  })
})

describeWithPromtool('queries of dashboards, by promtool', () => {
  it('are valid', async () => {
    const filled = dashboards
      .flatMap(panelsOf)
      .flatMap(queriesOf)
      .map(({ expr }) => expr.replaceAll(/\$__(rate_interval|range)/g, '5m'))
    expect(filled.length).to.be.above(60)
    await assertValid(filled)
  })
})

describe('a search for traces', () => {
  it('is an address with variables that Grafana can fill in', () => {
    const [by, org] = [variable('by'), variable('org:percentencode')]
    const address = traceSearch({
      service: by,
      operation: 'job',
      tags: { 'video.failed': 'true', 'video.org.id': org },
    })
    expect(address).to.contain(`%22${by}%22`).and.to.contain(`%3D${org}%22`)
    const filled = address.replaceAll(/\$\{([\w:]+)\}/g, '1')
    const { jobs } = JSON.parse(new URL(filled, 'http://grafana').searchParams.get('panes') ?? '')
    expect(jobs.queries[0]).to.include({ service: '1', operation: 'job', tags: 'video.failed=true video.org.id=1' })
    expect(jobs.range).to.deep.equal({ from: '1', to: '1' })
  })
})

describe('the sources of the dashboards', () => {
  it('are those in Grafana’s configuration', () => {
    const file = parse(readFileSync('ops/observe/grafana-datasources.yaml', 'utf8'))
    const given = (file.datasources as DataSourceRef[]).map(({ type, uid }) => ({ type, uid }))
    expect(given).to.deep.equal([prometheus, traces])
  })
})
