/** What programs need of this machine: where programs are and keep their files, and what Node has compiled already. */
export const machineEnvironment = (): Record<string, string> => {
  const { PATH = '', HOME = '/', NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }
}
