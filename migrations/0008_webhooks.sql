-- +goose Up
-- Webhooks whose signature held. A repeated delivery has the same digest. What
-- was refused is counted and logged, never stored: anyone can send it.
CREATE TABLE webhooks (
    id          TEXT PRIMARY KEY,
    digest      TEXT      NOT NULL UNIQUE, -- SHA-256 of the signed body
    received_at TIMESTAMP NOT NULL,
    signed_at   TIMESTAMP NOT NULL,
    encrypted   BOOLEAN   NOT NULL,
    ref         TEXT      NOT NULL, -- DistributorRef inside the signed body
    sale_id     TEXT      NOT NULL, -- "" if it is none of ours
    verdict     TEXT      NOT NULL, -- applied, foreign
    sealed_body TEXT      NOT NULL
);
CREATE INDEX webhooks_by_sale ON webhooks (sale_id);
