/** A short video with captions, on YouTube and on the sandbox: examples with it work on both. */
export const EXAMPLE_VIDEO = 'https://www.youtube.com/watch?v=jNQXAC9IVRw'

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A shell command that asks for a first transcript. `key`: an API key's secret. */
export function firstCall({ baseUrl, key }: { baseUrl: string; key: string }): string {
  const body = JSON.stringify({ url: EXAMPLE_VIDEO, mode: 'native' })
  return [
    `curl ${quoted(`${baseUrl}/v1/transcript`)}`,
    `-H ${quoted(`x-api-key: ${key}`)}`,
    `-H 'content-type: application/json'`,
    `-d ${quoted(body)}`,
  ].join(' \\\n  ')
}
