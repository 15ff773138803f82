//! The table of cards ever met.

use fanfare_rig::{Inventory, Member, Standing};
use rusqlite::{Connection, Row, params};

use super::{StateDbError, sense};

/// One row a card. Instants are UTC in RFC 3339.
pub(super) const SCHEMA: &str = "
    CREATE TABLE card (
        uuid        TEXT PRIMARY KEY,
        slot        TEXT,
        name        TEXT,
        first_seen  TEXT NOT NULL,
        last_seen   TEXT NOT NULL,
        standing    TEXT NOT NULL CHECK (standing IN ('expected', 'replaced', 'forgotten')),
        replaced_by TEXT,
        CHECK ((standing = 'replaced') = (replaced_by IS NOT NULL))
    ) STRICT;
";

pub(super) fn read(connection: &Connection) -> Result<Inventory, StateDbError> {
    let mut rows = connection.prepare(
        "SELECT uuid, slot, name, first_seen, last_seen, standing, replaced_by FROM card ORDER BY uuid",
    )?;
    let mut members = Vec::new();
    let mut found = rows.query([])?;
    while let Some(row) = found.next()? {
        members.push(member(row)?);
    }
    Ok(Inventory::of(members))
}

pub(super) fn write(connection: &mut Connection, inventory: &Inventory) -> Result<(), StateDbError> {
    let transaction = connection.transaction()?;
    for member in inventory.members() {
        let (standing, replaced_by) = match &member.standing {
            Standing::Expected => ("expected", None),
            Standing::Replaced { by } => ("replaced", Some(by.as_str())),
            Standing::Forgotten => ("forgotten", None),
        };
        transaction.execute(
            "INSERT INTO card (uuid, slot, name, first_seen, last_seen, standing, replaced_by)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (uuid) DO UPDATE SET
                 slot = excluded.slot, name = excluded.name, last_seen = excluded.last_seen,
                 standing = excluded.standing, replaced_by = excluded.replaced_by",
            params![
                member.uuid.as_str(),
                member.slot.map(|slot| slot.to_string()),
                member.name,
                member.first_seen.to_string(),
                member.last_seen.to_string(),
                standing,
                replaced_by,
            ],
        )?;
    }
    Ok(transaction.commit()?)
}

fn member(row: &Row<'_>) -> Result<Member, StateDbError> {
    let standing: String = row.get("standing")?;
    let replaced_by: Option<String> = row.get("replaced_by")?;
    let standing = match (standing.as_str(), replaced_by) {
        ("expected", None) => Standing::Expected,
        ("replaced", Some(by)) => Standing::Replaced { by: sense("replaced_by", by)? },
        ("forgotten", None) => Standing::Forgotten,
        _ => return Err(StateDbError::Nonsense { what: "standing", value: standing }),
    };
    let slot: Option<String> = row.get("slot")?;
    Ok(Member {
        uuid: sense("uuid", row.get("uuid")?)?,
        slot: slot.map(|slot| sense("slot", slot)).transpose()?,
        name: row.get("name")?,
        first_seen: sense("first_seen", row.get("first_seen")?)?,
        last_seen: sense("last_seen", row.get("last_seen")?)?,
        standing,
    })
}
