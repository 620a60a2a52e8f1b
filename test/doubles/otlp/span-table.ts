import { readFileSync } from 'node:fs'
import type { ReceivedSpan } from './receiver.ts'

/** The numbers of the kinds in OTLP. */
const kinds = ['', 'internal', 'server', 'client', 'producer', 'consumer']

/** The patterns that words in capitals stand for. Any other such word stands for one word. */
const placeholders: Record<string, string> = { METHOD: '[A-Z]+', ROUTE: '/\\S*' }

type Name = { written: string; pattern: RegExp }
type Row = { names: Name[]; kind: string; parents: Name[]; mayBeRoot: boolean; exporters: string[] }

function nameOf(written: string): Name {
  const words = written.split(' ').map((word) => (/^[A-Z]+$/.test(word) ? (placeholders[word] ?? '\\S+') : word))
  return { written, pattern: new RegExp(`^${words.join(' ')}$`) }
}

const namesIn = (cell: string): Name[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => nameOf(name))

const areNamed = (names: readonly Name[], name: string): boolean => names.some(({ pattern }) => pattern.test(name))

function rowOf(line: string): Row {
  const [names = '', kind = '', parent = '', , exporters = ''] = line.slice(2, -2).split(' | ')
  const mayBeRoot = /\bnone\b/.test(parent)
  return { names: namesIn(names), kind, parents: namesIn(parent), mayBeRoot, exporters: exporters.split(', ') }
}

/** The table of spans in ops/telemetry.md, for comparison with the spans that were received. */
export class SpanTable {
  readonly #rows: Row[]

  constructor() {
    const [, section = ''] = readFileSync('ops/telemetry.md', 'utf8').split('## One trace for a job')
    const [ours = ''] = section.split('\n## ')
    this.#rows = ours
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map(rowOf)
  }

  /** Names in the table without a received span. */
  missing(spans: readonly ReceivedSpan[]): string[] {
    return this.#rows.flatMap(({ names, kind }) => {
      const own = spans.filter((span) => kinds[span.kind] === kind)
      return names.filter((name) => !own.some((span) => areNamed([name], span.name))).map(({ written }) => written)
    })
  }

  /** Spans that differ from the table by name, kind, parent and exporter. A parent that was not received may be any. */
  wrong(spans: readonly ReceivedSpan[]): string[] {
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const isRight = (span: ReceivedSpan): boolean => {
      const row = this.#rows.find(({ names, kind }) => kinds[span.kind] === kind && areNamed(names, span.name))
      if (row === undefined) return false
      const parent = byId.get(span.parentId)
      const hangsRight =
        span.parentId === '' ? row.mayBeRoot : parent === undefined || areNamed(row.parents, parent.name)
      return hangsRight && (span.service === 'all-in-one' || row.exporters.includes(span.service))
    }
    const described = ({ name, kind, parentId, service }: ReceivedSpan): string =>
      `${name} (${kinds[kind]}) below ${byId.get(parentId)?.name ?? 'none'} by ${service}`
    return [...new Set(spans.filter((span) => !isRight(span)).map(described))]
  }
}
