/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * A shell command that asks for a first transcript, and works as it stands.
 * @param call `key`: an API key's secret; `exampleUrl`: of a video with captions
 */
export function firstCall({ baseUrl, key, exampleUrl }: { baseUrl: string; key: string; exampleUrl: string }): string {
  const body = JSON.stringify({ url: exampleUrl, mode: 'native' })
  return [
    `curl -X POST ${quoted(`${baseUrl}/v1/transcript`)}`,
    `-H ${quoted(`x-api-key: ${key}`)}`,
    `-H 'content-type: application/json'`,
    `-d ${quoted(body)}`,
  ].join(' \\\n  ')
}
