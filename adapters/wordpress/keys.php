<?php
/** Foreign keys of a database; see runner.php. */

namespace Berth\Runner;

const MOST_KEYS = 2000;
/** What MariaDB and MySQL say where a row refers to none. */
const NO_SUCH_ROW = 1452;

/** Foreign keys of all tables of the database, those of other programs too. */
function keysOf(\mysqli $db): array
{
	$rules = [];
	$found = $db->query('SELECT TABLE_NAME, CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() LIMIT ' . (MOST_KEYS + 1));
	foreach ($found->fetch_all() as [$table, $name, $onUpdate, $onDelete]) $rules["$table\0$name"] = [$onUpdate, $onDelete];
	if (count($rules) > MOST_KEYS) throw new Refusal('Its database has more than ' . MOST_KEYS . ' foreign keys.');
	if ($rules === []) return [];
	$keys = [];
	$found = $db->query('SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION');
	foreach ($found->fetch_all() as [$table, $name, $column, $schema, $to, $toColumn]) {
		$id = "$table\0$name";
		if (!isset($rules[$id])) continue;
		[$onUpdate, $onDelete] = $rules[$id];
		$keys[$id] ??= ['table' => $table, 'name' => $name, 'columns' => [], 'to' => $to, 'toColumns' => [], 'elsewhere' => $schema !== DB_NAME, 'onUpdate' => $onUpdate, 'onDelete' => $onDelete];
		$keys[$id]['columns'][] = $column;
		$keys[$id]['toColumns'][] = $toColumn;
	}
	return array_values($keys);
}

/** A table as it is made without its foreign keys, which come when its rows are there. */
function withoutKeys(string $create): string
{
	// Backquotes within names of constraints are not doubled there, so a name ends where the key begins.
	return preg_replace('/,\n\s*CONSTRAINT `[^\n]*?` FOREIGN KEY \([^\n]*?(?=,?\n)/', '', $create) ?? $create;
}

/** A foreign key as a statement has it. */
function keyText(array $key): string
{
	$list = static fn (array $names): string => '(' . implode(', ', array_map(fn ($name) => named($name), $names)) . ')';
	// What is usual stands in no definition; MariaDB tells one where it does from one where it does not.
	$rule = static fn (string $when, string $what): string => $what === 'RESTRICT' ? '' : " ON $when $what";
	return 'CONSTRAINT ' . named($key['name']) . ' FOREIGN KEY ' . $list($key['columns']) . ' REFERENCES ' . named($key['to']) . ' ' . $list($key['toColumns'])
		. $rule('UPDATE', $key['onUpdate']) . $rule('DELETE', $key['onDelete']);
}

/** Binds tables that were brought to each other. The server looks at every row of them: none refers to what is not there. */
function bindTables(array $order): array
{
	$db = connectAsSite($order);
	$db->query('SET SESSION foreign_key_checks = 1');
	foreach ($order['keys'] as $key) {
		try {
			$db->query('ALTER TABLE ' . named($key['table']) . ' ADD ' . keyText($key));
		} catch (\mysqli_sql_exception $error) {
			if ($error->getCode() !== NO_SUCH_ROW) throw $error;
			throw new Refusal("Rows of the copy's table {$key['says']} refer by a foreign key to rows that are not there. Repair them in the copy, or push without that table and those that are bound to it.");
		}
	}
	return [];
}

/** Gives foreign keys the names that they have in the copy, which are free once the tables from before are gone. */
function nameKeys(array $order): array
{
	$db = connectAsSite($order);
	foreach ($order['keys'] as $key) {
		$create = hasTable($db, $key['table']) ? $db->query('SHOW CREATE TABLE ' . named($key['table']))->fetch_row()[1] : '';
		if (strpos($create, 'CONSTRAINT ' . named($key['known']) . ' ') === false) continue;
		$db->query('ALTER TABLE ' . named($key['table']) . ' DROP FOREIGN KEY ' . named($key['known']) . ', ADD ' . keyText($key));
	}
	return [];
}
