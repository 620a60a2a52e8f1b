/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * A shell command that asks for a first transcript, and works as it stands.
 * @param call `key`: an API key's secret; `exampleUrl`: of a video with captions; `waits`: for the transcript itself, in
 * place of the id of a job
 */
export function firstCall({
  baseUrl,
  key,
  exampleUrl,
  waits = false,
}: {
  baseUrl: string
  key: string
  exampleUrl: string
  waits?: boolean
}): string {
  const body = JSON.stringify({ url: exampleUrl, mode: 'native' })
  return [
    `curl -X POST ${quoted(`${baseUrl}/v1/transcript`)}`,
    `-H ${quoted(`x-api-key: ${key}`)}`,
    `-H 'content-type: application/json'`,
    ...(waits ? [`-H 'prefer: wait=30'`] : []),
    `-d ${quoted(body)}`,
  ].join(' \\\n  ')
}
