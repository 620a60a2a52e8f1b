import { ConfigError } from '#packages/config/variable.ts'

/** What listens, once it does. @throws ConfigError naming the variables that say where */
export async function listeningAt<T>(variables: string, listening: Promise<T>): Promise<T> {
  try {
    return await listening
  } catch (error) {
    throw new ConfigError(`${variables} cannot be had: ${(error as Error).message}`)
  }
}
