-- +goose Up
-- Each shop's customer book: people by name, and the numbers that bought there.
-- A number is kept whether or not it has a name, and forgotten when it has not
-- bought for as long as the operator of the till says.
CREATE TABLE customers (
    id         TEXT      PRIMARY KEY,
    shop_id    TEXT      NOT NULL REFERENCES shops (id),
    name       TEXT      NOT NULL,
    folded     TEXT      NOT NULL, -- lower case without accents: what is searched
    created_at TIMESTAMP NOT NULL,
    UNIQUE (shop_id, folded)
);

CREATE TABLE customer_numbers (
    shop_id        TEXT      NOT NULL REFERENCES shops (id),
    account_number TEXT      NOT NULL, -- bare digits
    ending         TEXT      NOT NULL, -- its last four
    customer_id    TEXT      REFERENCES customers (id),
    sale_id        TEXT      NOT NULL, -- the last that went through, '' if none
    seen_at        TIMESTAMP NOT NULL, -- that sale, or when the number was written down
    PRIMARY KEY (shop_id, account_number)
);
CREATE INDEX customer_numbers_by_ending ON customer_numbers (shop_id, ending, seen_at);
CREATE INDEX customer_numbers_by_customer ON customer_numbers (customer_id);
CREATE INDEX customer_numbers_by_seen ON customer_numbers (seen_at);
