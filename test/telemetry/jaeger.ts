import type { TraceSearch } from './panels.ts'

const HOUR_US = 3_600_000_000

type SpanJson = {
  spanId: string
  parentSpanId?: string
  name: string
  status?: { code?: number | string }
}
type TraceJson = { result?: { resourceSpans?: { scopeSpans?: { spans?: SpanJson[] }[] }[] } }

export type FoundSpan = { id: string; parentId: string; name: string; isError: boolean }

/** The spans of a trace that Jaeger keeps; none if it keeps none. */
export async function traceIn(jaeger: string, traceId: string): Promise<FoundSpan[]> {
  const response = await fetch(`${jaeger}/api/v3/traces/${traceId}`, { signal: AbortSignal.timeout(10_000) })
  if (response.status === 404) return []
  const { result } = (await response.json()) as TraceJson
  const spans = result?.resourceSpans?.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans))
  return (spans ?? []).map(({ spanId: id, parentSpanId: parentId = '', name, status }) => ({
    id,
    parentId,
    name,
    isError: status?.code === 2 || status?.code === 'STATUS_CODE_ERROR',
  }))
}

/** Spans with a parent that is not in the trace. */
export function straysIn(spans: readonly FoundSpan[]): FoundSpan[] {
  const ids = new Set(spans.map(({ id }) => id))
  return spans.filter(({ parentId }) => parentId !== '' && !ids.has(parentId))
}

/** A search as Grafana's Jaeger source makes it. @returns the ids of the found traces, `limit` at most */
export async function tracesFound(
  jaeger: string,
  { service, operation, tags, minDuration }: Pick<TraceSearch, 'service' | 'operation' | 'tags' | 'minDuration'>,
  limit = 50,
): Promise<string[]> {
  const pairs = tags.split(' ').filter((pair) => pair !== '')
  const asJson = JSON.stringify(Object.fromEntries(pairs.map((pair) => pair.split('='))))
  const now = Date.now() * 1000
  const parameters = new URLSearchParams({ service, operation, tags: asJson, limit: `${limit}`, lookback: 'custom' })
  parameters.set('start', `${now - HOUR_US}`)
  parameters.set('end', `${now}`)
  if (minDuration !== undefined) parameters.set('minDuration', minDuration)
  const response = await fetch(`${jaeger}/api/traces?${parameters}`, { signal: AbortSignal.timeout(10_000) })
  const { data, errors } = (await response.json()) as { data?: { traceID: string }[]; errors?: unknown }
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(errors)}`)
  return (data ?? []).map(({ traceID }) => traceID)
}
