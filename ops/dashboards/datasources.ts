import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common'

/** The data source in ops/observe/grafana-datasources.yaml. */
export const prometheus: DataSourceRef = { type: 'prometheus', uid: 'prometheus' }
export const traces: DataSourceRef = { type: 'jaeger', uid: 'traces' }
