/** Texts of the choice of a machine, and of all of them at a glance: on pages that are of one machine each. */
export const machines = {
  column: 'Machine',
  own: 'The machine of the panel',
  never: 'Not asked yet',
  all: 'Machines',
  awaySince: (time: string) => `Away: last answer ${time}`,
  awayTitle: 'Machines that do not answer',
  away: (name: string, time: string) => `${name} is away: it last answered ${time}.`,
  awayNever: (name: string) => `${name} is away: it has not answered yet.`,
  awayMeans:
    'What is shown of its accounts is what the panel knew last. Their sites may well go on; changes wait until it is back.',
  accounts: (count: number) => `${count} ${count === 1 ? 'account' : 'accounts'}`,
  isFree: (percent: number) => `${percent} % of the disk free`,
  wasFree: (percent: number) => `${percent} % of the disk was free`,
  sites: (count: number) => `${count} ${count === 1 ? 'site' : 'sites'}`,
  disk: (room: string) => `Disk ${room}`,
  memory: (room: string) => `Memory ${room}`,
  notCounted: (names: string) => `Disk and memory without ${names}`,
  state: {
    joining: 'Invited',
    open: 'Open',
    closed: 'Closed',
    away: 'Away',
    gone: 'Gone',
  },
}
