import { ConfigError } from '#packages/config/variable.ts'

/** What listens, once it does. @throws ConfigError naming the variables that say where */
export async function listeningAt<T>(variables: string, listening: Promise<T>): Promise<T> {
  try {
    return await listening
  } catch (error) {
    throw new ConfigError(`${variables} cannot be had: ${wordsOf(error as Error)}`)
  }
}

/** A taken port is what most often keeps a service from starting. */
const wordsOf = ({ message, code, port }: NodeJS.ErrnoException & { port?: number }): string =>
  code === 'EADDRINUSE' && port !== undefined
    ? `port ${port} is taken: choose another one, or 0 for any free one`
    : message
