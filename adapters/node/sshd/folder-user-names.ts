/** Home of users for one folder, as passwd(5) has it: where they see the folder in their jail. */
export const FOLDER_HOME = '/files'

const NAME = /^([a-z0-9]{1,16})_[a-z0-9]{1,15}$/

/** Names in the text of passwd(5) that are users for one folder of an account whose home lies below `homeBase`. */
export const folderUserNames = (passwd: string, homeBase: string): string[] => {
  const rows = passwd.split('\n').map((line) => line.split(':'))
  const uids = new Map(
    rows
      .filter(([, , , , , home = '']) => home.startsWith(`${homeBase}/`))
      .map(([name = '', , uid = '']) => [name, uid]),
  )
  return rows
    .filter(([name = '', , uid = '', , , home]) => {
      const account = NAME.exec(name)?.[1]
      return (
        home === FOLDER_HOME && account !== undefined && uid !== '' && uids.get(account) === uid
      )
    })
    .map(([name = '']) => name)
}
