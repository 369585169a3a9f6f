import { invalid } from '../../errors.ts'

/** 3 or 4 octal digits without setuid, setgid and sticky bits; answers the last three. Throws 400. */
export const parseFileMode = (input: string): string => {
  if (!/^0?[0-7]{3}$/.test(input)) {
    throw invalid(
      'mode',
      'mode must be 3 or 4 octal digits such as 644 or 0644, without setuid, setgid or sticky bits.',
    )
  }
  return input.slice(-3)
}
