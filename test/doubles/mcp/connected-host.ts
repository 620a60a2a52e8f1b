import { Client as Host, type Transport } from '@modelcontextprotocol/client'

/** A host of an agent, connected to a server of tools. Disposing of it ends the connection. */
export async function connectedHost(transport: Transport): Promise<Host & AsyncDisposable> {
  const host = new Host({ name: 'host', version: '1.0.0' })
  await host.connect(transport)
  return Object.assign(host, { [Symbol.asyncDispose]: () => host.close() })
}
