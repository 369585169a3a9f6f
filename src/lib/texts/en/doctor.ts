/** Texts of the doctor on the System screen; what it found is in the API's words. */
export const doctor = {
  title: 'Doctor',
  examine: 'Examine',
  again: 'Examine again',
  lead: 'Compares the records with the machine, and looks at disks, memory, clock, processes, ports, database servers, certificates, backups, packages and limits of the kernel.',
  busy: 'Looking …',
  clean: 'Nothing is wrong.',
  warnings: (count: number) =>
    `Nothing is wrong; ${count === 1 ? 'one thing' : `${count} things`} to mind.`,
  faults: (count: number) => `${count === 1 ? 'One thing is' : `${count} things are`} wrong.`,
  fault: 'Fault',
  warning: 'Warning',
  why: 'Why it matters',
  fix: 'What to do',
  repairs: 'berth doctor --fix does this:',
  skipped: 'Not looked at',
}
