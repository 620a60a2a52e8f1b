/**
 * The packages of OpenTelemetry, loaded as CommonJS. As ES modules each of their five hundred files would pass the hooks
 * of the TypeScript loader, which takes twice the time and more memory.
 */
import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

export const api = load('@opentelemetry/api') as typeof import('@opentelemetry/api')
export const sdkNode = load('@opentelemetry/sdk-node') as typeof import('@opentelemetry/sdk-node')
export const sdkTrace = load('@opentelemetry/sdk-trace') as typeof import('@opentelemetry/sdk-trace')
export const conventions = load(
  '@opentelemetry/semantic-conventions',
) as typeof import('@opentelemetry/semantic-conventions')
export const resources = load('@opentelemetry/resources') as typeof import('@opentelemetry/resources')
