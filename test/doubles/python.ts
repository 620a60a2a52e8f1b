import { fileURLToPath } from 'node:url'

/** The interpreter that ops/setup installs Python packages for. */
export const python = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url))
