import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common'

/** As ops/observe/grafana-datasources.yaml names them. */
export const prometheus: DataSourceRef = { type: 'prometheus', uid: 'prometheus' }
export const traces: DataSourceRef = { type: 'jaeger', uid: 'traces' }
