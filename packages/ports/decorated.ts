/** A port with some members in the place of its own; everything else passes through. */
export function decorated<Port extends object>(port: Port, members: Partial<Port>): Port {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name)
      const own: unknown = Reflect.get(target, name)
      return typeof own === 'function' ? own.bind(target) : own
    },
  })
}
