/** `panel-0123456789ab`, then the number of its keys, from the second ones on. */
const NUMBERED = /^(panel-[0-9a-f]{12})(?:-(\d{1,6}))?$/

/** What ids of one panel have in common, whichever of its keys they name. */
export const familyOf = (id: string): string => NUMBERED.exec(id)?.[1] ?? id

/** The id under which a panel's next keys are known. */
export const nextIdOf = (id: string): string => {
  const [, family = id, number = '1'] = NUMBERED.exec(id) ?? []
  return `${family}-${Number(number) + 1}`
}

/** Whether root at a host let a panel go, under this id or under one of its former keys. */
export const isForgotten = (forgotten: readonly string[], id: string): boolean => {
  const family = familyOf(id)
  return forgotten.some((one) => familyOf(one) === family)
}
