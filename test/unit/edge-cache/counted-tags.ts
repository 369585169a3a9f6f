/** A page's tags which count how often one of them is read. */
export const countedTags = (tags: string[]): { tags: string[]; count(): number } => {
  let read = 0
  const counting = new Proxy(tags, {
    get(target, name, receiver): unknown {
      if (typeof name === 'string' && /^\d+$/.test(name)) read++
      return Reflect.get(target, name, receiver)
    },
  })
  return { tags: counting, count: () => read }
}
