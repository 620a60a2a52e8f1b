import { fileURLToPath } from 'node:url'

/** The interpreter for which ops/setup installs Python packages. */
export const python = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url))
