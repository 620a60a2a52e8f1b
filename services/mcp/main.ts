/**
 * `npm run mcp`: the tool server over stdio, for a host that starts it (services/mcp/README.md). The key comes from
 * VIDEO_INTELLIGENCE_API_KEY, the service's address from VIDEO_INTELLIGENCE_BASE_URL (default http://127.0.0.1:8080).
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { readConfig } from '#packages/foundation/config/config.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { createMcpServer } from './server.ts'

const { VIDEO_INTELLIGENCE_API_KEY: apiKey, VIDEO_INTELLIGENCE_BASE_URL: baseUrl = 'http://127.0.0.1:8080' } =
  process.env
try {
  if (apiKey === undefined || apiKey === '') throw new Error('VIDEO_INTELLIGENCE_API_KEY must be set')
  if (!/^https?:\/\/./.test(baseUrl)) throw new Error('VIDEO_INTELLIGENCE_BASE_URL must be an http(s) URL')
  const { mcpAnswerSeconds: answerSeconds } = readConfig(process.env)
  serveStdio(() => createMcpServer({ baseUrl, apiKey, answerSeconds, telemetry: noTelemetry }))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
