/**
 * The variables that programs need on this machine: the folders of programs and of their files, and the code that Node
 * has compiled already.
 */
export const machineEnvironment = (): Record<string, string> => {
  const { PATH = '', HOME = '/', NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }
}
