-- +goose Up
-- The roll printer of a till; a till without a row has the default one.
CREATE TABLE printers (
    till_id TEXT PRIMARY KEY,
    width   INTEGER NOT NULL CHECK (width IN (58, 80)), -- of the roll in millimetres
    columns INTEGER NOT NULL CHECK (columns IN (32, 42, 48)),
    bridge  TEXT    NOT NULL, -- where on the till's own machine bytes are taken, '' for none
    kick    BOOLEAN NOT NULL, -- whether a receipt opens the drawer
    auto    BOOLEAN NOT NULL DEFAULT FALSE -- whether a customer's receipt prints by itself once a sale is complete
);

-- Every print of a sale's paper, the first and the copies.
CREATE TABLE prints (
    id        TEXT PRIMARY KEY,
    form_key  TEXT      NOT NULL UNIQUE,
    sale_id   TEXT      NOT NULL,
    slip      TEXT      NOT NULL CHECK (slip IN ('receipt', 'waiting', 'refund')),
    copy      TEXT      NOT NULL CHECK (copy IN ('customer', 'shop')),
    number    INTEGER   NOT NULL CHECK (number > 0), -- 1 is no duplicate
    user_id   TEXT      NOT NULL,
    till_id   TEXT      NOT NULL,
    at        TIMESTAMP NOT NULL,
    opened_at TIMESTAMP, -- when the print window was opened, or the printer asked: once
    failed_at TIMESTAMP, -- when the printer did not take it
    UNIQUE (sale_id, slip, copy, number)
);
