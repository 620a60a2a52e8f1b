import { ConfigError } from '#packages/foundation/config/variable.ts'

/** Waits until the server listens. @throws ConfigError naming the variables that set the address */
export async function listeningAt<T>(variables: string, listening: Promise<T>): Promise<T> {
  try {
    return await listening
  } catch (error) {
    throw new ConfigError(`${variables} cannot be had: ${wordsOf(error as Error)}`)
  }
}

/** A taken port is the most frequent reason that a service does not start. */
const wordsOf = ({ message, code, port }: NodeJS.ErrnoException & { port?: number }): string =>
  code === 'EADDRINUSE' && port !== undefined
    ? `port ${port} is taken: choose another one, or 0 for any free one`
    : message
